-- The application's own table, and how the two people of the demo are reached: the host's address and three devices.
BEGIN IMMEDIATE;
CREATE TABLE booking (id INTEGER PRIMARY KEY, space TEXT NOT NULL, driver TEXT NOT NULL, host TEXT NOT NULL,
    starts_at TEXT NOT NULL, ends_at TEXT NOT NULL, price INTEGER NOT NULL);
INSERT INTO sendoff_contact (user_id, channel, address, locale, time_zone) VALUES
    ('u-2208', 'email', 'amelia.clarke@example.com', 'en-GB', 'Europe/London'),
    ('u-2208', 'push', 'ExponentPushToken[amelias-phone-00000000]', 'en-GB', 'Europe/London'),
    ('u-1017', 'push', 'ExponentPushToken[jonas-phone-0000000000]', 'de-DE', 'Europe/Berlin'),
    ('u-1017', 'push', 'ExponentPushToken[jonas-tablet-000000000]', 'de-DE', 'Europe/Berlin');
COMMIT;
