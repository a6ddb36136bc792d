-- What an application does in one transaction: its own row and the event, both or neither.
BEGIN IMMEDIATE;
INSERT INTO booking (id, space, driver, host, starts_at, ends_at, price)
VALUES (981, 's-44', 'u-1017', 'u-2208', strftime('%Y-%m-%dT13:30:00Z', 'now', '+1 day'),
    strftime('%Y-%m-%dT16:00:00Z', 'now', '+1 day'), 1250);
INSERT INTO sendoff_event (type, payload)
SELECT 'booking.confirmed', json_object(
    'booking', id,
    'start', starts_at,
    'end', ends_at,
    'price', json_object('amount', price, 'currency', 'EUR'),
    'earnings', json_object('amount', price * 8 / 10, 'currency', 'EUR'),
    'space', json_object('id', space, 'name', 'Garage Mitte, bay 14', 'address', 'Lindenstraße 7, 10969 Berlin',
        'access', 'Enter code 4711 at the gate, then first ramp down.'),
    'driver', json_object('id', driver, 'name', 'Jonas Weber', 'email', 'jonas.weber@example.com',
        'locale', 'de-DE', 'time_zone', 'Europe/Berlin', 'vehicle', 'B-PK 2043'),
    'host', json_object('id', host, 'name', 'Amelia Clarke', 'email', 'amelia.clarke@example.com',
        'locale', 'en-GB', 'time_zone', 'Europe/London'))
FROM booking WHERE id = 981
RETURNING id;
COMMIT;
