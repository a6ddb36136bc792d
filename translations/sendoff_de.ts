<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
<context>
    <name>Backoff</name>
    <message>
        <source>Waits double from %1 to %2, each 75–100 % of its value.</source>
        <translation>Die Wartezeiten verdoppeln sich von %1 bis %2, jede zu 75–100 % ihres Werts.</translation>
    </message>
    <message>
        <source>This delivery has not waited yet.</source>
        <translation>Diese Zustellung hat noch nicht gewartet.</translation>
    </message>
    <message numerus="yes">
        <source>This delivery waited %n time(s), the last time %1.</source>
        <translation>
            <numerusform>Diese Zustellung hat einmal gewartet: %1.</numerusform>
            <numerusform>Diese Zustellung hat %n-mal gewartet, zuletzt %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Session</name>
    <message>
        <source>There is no file %1. Choose another one, or make the store with: sendoffd migrate</source>
        <translation>Es gibt keine Datei %1. Wählen Sie eine andere, oder legen Sie den Speicher an mit: sendoffd migrate</translation>
    </message>
    <message>
        <source>The embedded engine needs %1; write it, or run sendoffd with a configuration of your own.</source>
        <translation>Die eigene Engine braucht %1; schreiben Sie diese Datei, oder starten Sie sendoffd mit eigener Konfiguration.</translation>
    </message>
    <message>
        <source>%1 names another store under store.url; correct it before an engine works here.</source>
        <translation>%1 nennt unter store.url einen anderen Speicher; berichtigen Sie das, bevor hier eine Engine arbeitet.</translation>
    </message>
</context>
<context>
    <name>Times</name>
    <message>
        <source>just now</source>
        <translation>gerade eben</translation>
    </message>
    <message>
        <source>%1 s ago</source>
        <translation>vor %1 s</translation>
    </message>
    <message>
        <source>in %1 s</source>
        <translation>in %1 s</translation>
    </message>
    <message>
        <source>%1 min ago</source>
        <translation>vor %1 min</translation>
    </message>
    <message>
        <source>in %1 min</source>
        <translation>in %1 min</translation>
    </message>
    <message>
        <source>%1 h ago</source>
        <translation>vor %1 h</translation>
    </message>
    <message>
        <source>in %1 h</source>
        <translation>in %1 h</translation>
    </message>
    <message>
        <source>%1 d ago</source>
        <translation>vor %1 T</translation>
    </message>
    <message>
        <source>in %1 d</source>
        <translation>in %1 T</translation>
    </message>
    <message>
        <source>%1 ms</source>
        <translation>%1 ms</translation>
    </message>
    <message>
        <source>%1 s</source>
        <translation>%1 s</translation>
    </message>
    <message>
        <source>%1 min</source>
        <translation>%1 min</translation>
    </message>
    <message>
        <source>%1 h</source>
        <translation>%1 h</translation>
    </message>
    <message>
        <source>%1 d</source>
        <translation>%1 T</translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message>
        <source>Scheduled</source>
        <translation>Geplant</translation>
    </message>
    <message>
        <source>Ready</source>
        <translation>Bereit</translation>
    </message>
    <message>
        <source>In flight</source>
        <translation>Unterwegs</translation>
    </message>
    <message>
        <source>Held</source>
        <translation>Angehalten</translation>
    </message>
    <message>
        <source>Accepted</source>
        <translation>Angenommen</translation>
    </message>
    <message>
        <source>Delivered</source>
        <translation>Zugestellt</translation>
    </message>
    <message>
        <source>Bounced</source>
        <translation>Abgewiesen</translation>
    </message>
    <message>
        <source>Suppressed</source>
        <translation>Unterdrückt</translation>
    </message>
    <message>
        <source>Expired</source>
        <translation>Abgelaufen</translation>
    </message>
    <message>
        <source>Cancelled</source>
        <translation>Storniert</translation>
    </message>
    <message>
        <source>Superseded</source>
        <translation>Ersetzt</translation>
    </message>
    <message>
        <source>Discarded</source>
        <translation>Verworfen</translation>
    </message>
    <message>
        <source>Dead</source>
        <translation>Gescheitert</translation>
    </message>
    <message>
        <source>Unknown</source>
        <translation>Ungewiss</translation>
    </message>
    <message>
        <source>Waits until it is due. %1</source>
        <translation>Wartet, bis sie fällig ist. %1</translation>
    </message>
    <message>
        <source>Due now; the next free worker takes it.</source>
        <translation>Jetzt fällig; der nächste freie Arbeiter nimmt sie.</translation>
    </message>
    <message>
        <source>A worker is sending it.</source>
        <translation>Ein Arbeiter sendet sie gerade.</translation>
    </message>
    <message>
        <source>Waits for a person. %1</source>
        <translation>Wartet auf einen Menschen. %1</translation>
    </message>
    <message>
        <source>The provider took it. That is not arrival yet.</source>
        <translation>Der Anbieter hat sie angenommen. Angekommen ist sie damit noch nicht.</translation>
    </message>
    <message>
        <source>It arrived, by the provider&apos;s word.</source>
        <translation>Nach Auskunft des Anbieters ist sie angekommen.</translation>
    </message>
    <message>
        <source>The provider took it, then the mailbox refused it.</source>
        <translation>Der Anbieter nahm sie an, dann wies das Postfach sie ab.</translation>
    </message>
    <message>
        <source>It may have been sent, and nobody can tell. Sending again may reach the person twice.</source>
        <translation>Vielleicht wurde sie gesendet; niemand kann es sagen. Erneutes Senden kann doppelt ankommen.</translation>
    </message>
    <message>
        <source>Planned for later.</source>
        <translation>Für später geplant.</translation>
    </message>
    <message>
        <source>The last attempt failed; it is tried again.</source>
        <translation>Der letzte Versuch scheiterte; es folgt ein weiterer.</translation>
    </message>
    <message>
        <source>The provider asked to wait.</source>
        <translation>Der Anbieter bat um Geduld.</translation>
    </message>
    <message>
        <source>The provider refused our settings.</source>
        <translation>Der Anbieter lehnte unsere Einstellungen ab.</translation>
    </message>
    <message>
        <source>The person&apos;s quiet hours.</source>
        <translation>Ruhezeit der Person.</translation>
    </message>
    <message>
        <source>The person switched this off.</source>
        <translation>Die Person hat das abgeschaltet.</translation>
    </message>
    <message>
        <source>The address must not be used.</source>
        <translation>Die Adresse darf nicht benutzt werden.</translation>
    </message>
    <message>
        <source>No address for this channel.</source>
        <translation>Keine Adresse für diesen Kanal.</translation>
    </message>
    <message>
        <source>The address can&apos;t be written to.</source>
        <translation>An die Adresse kann nicht gesendet werden.</translation>
    </message>
    <message>
        <source>The event names nobody for this role.</source>
        <translation>Das Ereignis nennt niemanden für diese Rolle.</translation>
    </message>
    <message>
        <source>It was too late to matter.</source>
        <translation>Es war zu spät, um noch zu nützen.</translation>
    </message>
    <message>
        <source>Done by a person.</source>
        <translation>Von einem Menschen veranlasst.</translation>
    </message>
    <message>
        <source>A later event replaced it.</source>
        <translation>Ein späteres Ereignis hat sie ersetzt.</translation>
    </message>
    <message>
        <source>An edited copy replaced it.</source>
        <translation>Eine bearbeitete Fassung hat sie ersetzt.</translation>
    </message>
    <message>
        <source>The provider refused the address for good.</source>
        <translation>Der Anbieter lehnte die Adresse endgültig ab.</translation>
    </message>
    <message>
        <source>The provider refused the content for good.</source>
        <translation>Der Anbieter lehnte den Inhalt endgültig ab.</translation>
    </message>
    <message>
        <source>Every attempt failed; the retry budget is spent.</source>
        <translation>Jeder Versuch scheiterte; es folgt keiner mehr.</translation>
    </message>
    <message>
        <source>Three workers in a row were lost with it.</source>
        <translation>Drei Arbeiter hintereinander gingen mit ihr verloren.</translation>
    </message>
    <message>
        <source>The outcome of an attempt is unknown.</source>
        <translation>Der Ausgang eines Versuchs ist ungewiss.</translation>
    </message>
    <message>
        <source>Its secret is gone, it can&apos;t be made again.</source>
        <translation>Ihr Geheimnis ist fort, sie lässt sich nicht neu erstellen.</translation>
    </message>
    <message>
        <source>Its content was removed.</source>
        <translation>Ihr Inhalt wurde entfernt.</translation>
    </message>
    <message>
        <source>The template needs a value that the event lacks.</source>
        <translation>Der Vorlage fehlt ein Wert des Ereignisses.</translation>
    </message>
    <message>
        <source>The template is broken.</source>
        <translation>Die Vorlage ist fehlerhaft.</translation>
    </message>
    <message>
        <source>The provider reported the arrival.</source>
        <translation>Der Anbieter meldete die Ankunft.</translation>
    </message>
    <message>
        <source>The provider reported a bounce.</source>
        <translation>Der Anbieter meldete eine Abweisung.</translation>
    </message>
    <message>
        <source>Email</source>
        <translation>E-Mail</translation>
    </message>
    <message>
        <source>SMS</source>
        <translation>SMS</translation>
    </message>
    <message>
        <source>Push</source>
        <translation>Push</translation>
    </message>
    <message>
        <source>Inbox</source>
        <translation>Posteingang</translation>
    </message>
    <message>
        <source>Webhook</source>
        <translation>Webhook</translation>
    </message>
    <message>
        <source>urgent</source>
        <translation>dringend</translation>
    </message>
    <message>
        <source>normal</source>
        <translation>normal</translation>
    </message>
    <message>
        <source>bulk</source>
        <translation>Masse</translation>
    </message>
    <message>
        <source>Under way</source>
        <translation>Läuft</translation>
    </message>
    <message>
        <source>Throttled</source>
        <translation>Gedrosselt</translation>
    </message>
    <message>
        <source>Failed for now</source>
        <translation>Vorerst gescheitert</translation>
    </message>
    <message>
        <source>Address refused</source>
        <translation>Adresse abgelehnt</translation>
    </message>
    <message>
        <source>Content refused</source>
        <translation>Inhalt abgelehnt</translation>
    </message>
    <message>
        <source>Settings refused</source>
        <translation>Einstellungen abgelehnt</translation>
    </message>
    <message>
        <source>Outcome unknown</source>
        <translation>Ausgang ungewiss</translation>
    </message>
    <message>
        <source>The provider reports: delivered</source>
        <translation>Der Anbieter meldet: zugestellt</translation>
    </message>
    <message>
        <source>The provider reports: bounced</source>
        <translation>Der Anbieter meldet: abgewiesen</translation>
    </message>
    <message>
        <source>The person complained about it</source>
        <translation>Die Person hat sich beschwert</translation>
    </message>
    <message>
        <source>A late answer: accepted</source>
        <translation>Späte Antwort: angenommen</translation>
    </message>
    <message>
        <source>Receipt: %1</source>
        <translation>Quittung: %1</translation>
    </message>
    <message>
        <source>Retry</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Cancel deliveries</source>
        <translation>Zustellungen stornieren</translation>
    </message>
    <message>
        <source>armed</source>
        <translation>scharf</translation>
    </message>
    <message>
        <source>running</source>
        <translation>läuft</translation>
    </message>
    <message>
        <source>done</source>
        <translation>erledigt</translation>
    </message>
    <message>
        <source>undone</source>
        <translation>rückgängig gemacht</translation>
    </message>
    <message>
        <source>stopped</source>
        <translation>angehalten</translation>
    </message>
    <message>
        <source>failed</source>
        <translation>gescheitert</translation>
    </message>
    <message numerus="yes">
        <source>%1, %2, %3 to %4, answer %5, %n attempt(s), %6</source>
        <translation>
            <numerusform>%1, %2, %3 an %4, Antwort %5, %n Versuch, %6</numerusform>
            <numerusform>%1, %2, %3 an %4, Antwort %5, %n Versuche, %6</numerusform>
        </translation>
    </message>
    <message>
        <source>%1+</source>
        <translation>%1+</translation>
    </message>
    <message>
        <source>Position %1: %2</source>
        <translation>Stelle %1: %2</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::BackoffChart</name>
    <message>
        <source>after failure</source>
        <translation>nach Fehlversuch</translation>
    </message>
    <message>
        <source>%1 (asked)</source>
        <translation>%1 (erbeten)</translation>
    </message>
    <message>
        <source>After failure %1 the policy waits %2, this delivery %3</source>
        <translation>Nach Fehlversuch %1 wartet die Regel %2, diese Zustellung %3</translation>
    </message>
    <message>
        <source>Waits between attempts</source>
        <translation>Wartezeiten zwischen Versuchen</translation>
    </message>
    <message>
        <source>Show as a table</source>
        <translation>Als Tabelle zeigen</translation>
    </message>
    <message>
        <source>Failure</source>
        <translation>Fehlversuch</translation>
    </message>
    <message>
        <source>Policy</source>
        <translation>Regel</translation>
    </message>
    <message>
        <source>Waited</source>
        <translation>Gewartet</translation>
    </message>
    <message>
        <source>waited</source>
        <translation>gewartet</translation>
    </message>
    <message>
        <source>asked by the provider</source>
        <translation>vom Anbieter erbeten</translation>
    </message>
    <message>
        <source>policy</source>
        <translation>Regel</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::ConnectPage</name>
    <message>
        <source>Choose a SQLite file</source>
        <translation>SQLite-Datei auswählen</translation>
    </message>
    <message>
        <source>SQLite databases (*.db *.sqlite *.sqlite3)</source>
        <translation>SQLite-Datenbanken (*.db *.sqlite *.sqlite3)</translation>
    </message>
    <message>
        <source>All files (*)</source>
        <translation>Alle Dateien (*)</translation>
    </message>
    <message>
        <source>Name the SQLite file of the store.</source>
        <translation>Nennen Sie die SQLite-Datei des Speichers.</translation>
    </message>
    <message>
        <source>Name the host of the PostgreSQL server.</source>
        <translation>Nennen Sie den Rechner des PostgreSQL-Servers.</translation>
    </message>
    <message>
        <source>Name the database on this server.</source>
        <translation>Nennen Sie die Datenbank auf diesem Server.</translation>
    </message>
    <message>
        <source>Connecting …</source>
        <translation>Wird verbunden …</translation>
    </message>
    <message>
        <source>Connect</source>
        <translation>Verbinden</translation>
    </message>
    <message>
        <source>The store has not answered yet.</source>
        <translation>Der Speicher hat noch nicht geantwortet.</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
    <message>
        <source>Connect to a store</source>
        <translation>Mit einem Speicher verbinden</translation>
    </message>
    <message>
        <source>The database that holds your application&apos;s events and their deliveries.</source>
        <translation>Die Datenbank mit den Ereignissen Ihrer Anwendung und deren Zustellungen.</translation>
    </message>
    <message>
        <source>Recent</source>
        <translation>Zuletzt benutzt</translation>
    </message>
    <message>
        <source>Stores you have connected to stand here.</source>
        <translation>Hier stehen die Speicher, mit denen Sie verbunden waren.</translation>
    </message>
    <message>
        <source>Recent connections</source>
        <translation>Zuletzt benutzte Verbindungen</translation>
    </message>
    <message>
        <source>SQLite &amp;file</source>
        <translation>SQLite-&amp;Datei</translation>
    </message>
    <message>
        <source>&amp;PostgreSQL</source>
        <translation>&amp;PostgreSQL</translation>
    </message>
    <message>
        <source>Browse …</source>
        <translation>Durchsuchen …</translation>
    </message>
    <message>
        <source>File</source>
        <translation>Datei</translation>
    </message>
    <message>
        <source>Host</source>
        <translation>Rechner</translation>
    </message>
    <message>
        <source>Port</source>
        <translation>Port</translation>
    </message>
    <message>
        <source>Database</source>
        <translation>Datenbank</translation>
    </message>
    <message>
        <source>Schema</source>
        <translation>Schema</translation>
    </message>
    <message>
        <source>User</source>
        <translation>Benutzer</translation>
    </message>
    <message>
        <source>Password</source>
        <translation>Passwort</translation>
    </message>
    <message>
        <source>Name</source>
        <translation>Name</translation>
    </message>
    <message>
        <source>Environment</source>
        <translation>Umgebung</translation>
    </message>
    <message>
        <source>Asked for each time, stored nowhere</source>
        <translation>Wird jedes Mal gefragt, nirgends gespeichert</translation>
    </message>
    <message>
        <source>How the window calls it</source>
        <translation>So heißt die Verbindung im Fenster</translation>
    </message>
    <message>
        <source>&amp;Look only, offer no commands</source>
        <translation>&amp;Nur ansehen, keine Befehle anbieten</translation>
    </message>
    <message>
        <source>Cancel</source>
        <translation>Abbrechen</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::ConsoleWorker</name>
    <message>
        <source>The connection is not open. Connect again.</source>
        <translation>Die Verbindung ist nicht offen. Verbinden Sie sich neu.</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::DeliveriesPage</name>
    <message>
        <source>Dead letters</source>
        <translation>Unzustellbares</translation>
    </message>
    <message>
        <source>Deliveries</source>
        <translation>Zustellungen</translation>
    </message>
    <message>
        <source>Nothing is dead</source>
        <translation>Nichts ist unzustellbar</translation>
    </message>
    <message>
        <source>Every message was delivered, is waiting, or ended for a known reason.</source>
        <translation>Jede Nachricht wurde zugestellt, wartet oder endete aus bekanntem Grund.</translation>
    </message>
    <message>
        <source>Look again</source>
        <translation>Erneut nachsehen</translation>
    </message>
    <message>
        <source>No deliveries yet</source>
        <translation>Noch keine Zustellungen</translation>
    </message>
    <message>
        <source>They appear as soon as an application commits an event and an engine relays it.</source>
        <translation>Sie erscheinen, sobald eine Anwendung ein Ereignis festschreibt und eine Engine es weitergibt.</translation>
    </message>
    <message>
        <source>Nothing matches this filter</source>
        <translation>Nichts passt zu diesem Filter</translation>
    </message>
    <message>
        <source>All of its terms must hold: %1</source>
        <translation>Alle Bedingungen müssen zutreffen: %1</translation>
    </message>
    <message>
        <source>Show all dead letters</source>
        <translation>Alles Unzustellbare zeigen</translation>
    </message>
    <message>
        <source>Remove the filter</source>
        <translation>Filter entfernen</translation>
    </message>
    <message>
        <source>The list could not be refreshed: %1</source>
        <translation>Die Liste konnte nicht aufgefrischt werden: %1</translation>
    </message>
    <message>
        <source>The list could not be loaded</source>
        <translation>Die Liste konnte nicht geladen werden</translation>
    </message>
    <message>
        <source>Try again</source>
        <translation>Erneut versuchen</translation>
    </message>
    <message>
        <source>%1 matching</source>
        <translation>%1 passend</translation>
    </message>
    <message numerus="yes">
        <source>%n selected</source>
        <translation>
            <numerusform>%n ausgewählt</numerusform>
            <numerusform>%n ausgewählt</numerusform>
        </translation>
    </message>
    <message>
        <source>loading …</source>
        <translation>wird geladen …</translation>
    </message>
    <message>
        <source>There is no connection.</source>
        <translation>Es besteht keine Verbindung.</translation>
    </message>
    <message>
        <source>This connection is set to look only; change that in the connection&apos;s settings.</source>
        <translation>Diese Verbindung dient nur dem Ansehen; ändern Sie das in ihren Einstellungen.</translation>
    </message>
    <message>
        <source>The store can&apos;t be reached now.</source>
        <translation>Der Speicher ist gerade nicht erreichbar.</translation>
    </message>
    <message>
        <source>The list is empty.</source>
        <translation>Die Liste ist leer.</translation>
    </message>
    <message>
        <source>Select rows, or write a filter to act on all that match.</source>
        <translation>Wählen Sie Zeilen aus, oder schreiben Sie einen Filter für alle passenden.</translation>
    </message>
    <message>
        <source>None of the selected deliveries has ended in a way that can be retried.</source>
        <translation>Keine der ausgewählten Zustellungen endete so, dass sie wiederholt werden kann.</translation>
    </message>
    <message>
        <source>None of the selected deliveries is still waiting.</source>
        <translation>Keine der ausgewählten Zustellungen wartet noch.</translation>
    </message>
    <message>
        <source>Send again what is selected, or all that match (R)</source>
        <translation>Ausgewählte oder alle passenden erneut senden (R)</translation>
    </message>
    <message>
        <source>Take back what still waits (Del)</source>
        <translation>Zurücknehmen, was noch wartet (Entf)</translation>
    </message>
    <message>
        <source>Refresh (F5)</source>
        <translation>Auffrischen (F5)</translation>
    </message>
    <message>
        <source>Retry …</source>
        <translation>Wiederholen …</translation>
    </message>
    <message>
        <source>Cancel …</source>
        <translation>Stornieren …</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::DeliveryModel</name>
    <message>
        <source>%1 through %2</source>
        <translation>%1 über %2</translation>
    </message>
    <message>
        <source>User %1</source>
        <translation>Benutzer %1</translation>
    </message>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation>
            <numerusform>%n Versuch</numerusform>
            <numerusform>%n Versuche</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failure(s)</source>
        <translation>
            <numerusform>%n Fehlversuch</numerusform>
            <numerusform>%n Fehlversuche</numerusform>
        </translation>
    </message>
    <message>
        <source>State</source>
        <translation>Zustand</translation>
    </message>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>To</source>
        <translation>An</translation>
    </message>
    <message>
        <source>Answer</source>
        <translation>Antwort</translation>
    </message>
    <message>
        <source>Tries</source>
        <translation>Versuche</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Erstellt</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::DeliveryTable</name>
    <message>
        <source>Deliveries</source>
        <translation>Zustellungen</translation>
    </message>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n neue</numerusform>
            <numerusform>%n neue</numerusform>
        </translation>
    </message>
    <message>
        <source>Back to the newest</source>
        <translation>Zurück zu den neuesten</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::FilterLine</name>
    <message>
        <source>Filter</source>
        <translation>Filter</translation>
    </message>
    <message>
        <source>Filter, for example channel:email code:429 age&gt;1h</source>
        <translation>Filter, zum Beispiel channel:email code:429 age&gt;1h</translation>
    </message>
    <message>
        <source>Fields: %1. Enter applies, Esc takes the last term away.</source>
        <translation>Felder: %1. Eingabe wendet an, Esc nimmt die letzte Bedingung weg.</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::MainWindow</name>
    <message>
        <source>Connect to another store …</source>
        <translation>Mit anderem Speicher verbinden …</translation>
    </message>
    <message>
        <source>Appearance</source>
        <translation>Darstellung</translation>
    </message>
    <message>
        <source>As the system</source>
        <translation>Wie das System</translation>
    </message>
    <message>
        <source>Light</source>
        <translation>Hell</translation>
    </message>
    <message>
        <source>Dark</source>
        <translation>Dunkel</translation>
    </message>
    <message>
        <source>Language</source>
        <translation>Sprache</translation>
    </message>
    <message>
        <source>Quit</source>
        <translation>Beenden</translation>
    </message>
    <message>
        <source>No connection is called “%1”. Write a URL (sqlite:PATH or postgresql://…), or fill in the form.</source>
        <translation>Keine Verbindung heißt „%1“. Schreiben Sie eine URL (sqlite:PFAD oder postgresql://…), oder füllen Sie das Formular aus.</translation>
    </message>
    <message>
        <source>Asking the store …</source>
        <translation>Der Speicher wird gefragt …</translation>
    </message>
    <message>
        <source>No engine is alive, nothing is sent</source>
        <translation>Keine Engine läuft, nichts wird gesendet</translation>
    </message>
    <message numerus="yes">
        <source>%n engine(s) alive</source>
        <translation>
            <numerusform>%n Engine läuft</numerusform>
            <numerusform>%n Engines laufen</numerusform>
        </translation>
    </message>
    <message>
        <source>oldest waiting %1</source>
        <translation>älteste wartet %1</translation>
    </message>
    <message>
        <source>nothing waits</source>
        <translation>nichts wartet</translation>
    </message>
    <message>
        <source>Embedded engine: off</source>
        <translation>Eigene Engine: aus</translation>
    </message>
    <message>
        <source>Embedded engine: starting …</source>
        <translation>Eigene Engine: startet …</translation>
    </message>
    <message>
        <source>Embedded engine: on</source>
        <translation>Eigene Engine: an</translation>
    </message>
    <message>
        <source>Embedded engine: ending what is in flight …</source>
        <translation>Eigene Engine: beendet Laufendes …</translation>
    </message>
    <message>
        <source>This program carries no engine; run sendoffd.</source>
        <translation>Dieses Programm enthält keine Engine; starten Sie sendoffd.</translation>
    </message>
    <message>
        <source>Engines for PostgreSQL run by themselves: sendoffd run.</source>
        <translation>Engines für PostgreSQL laufen für sich: sendoffd run.</translation>
    </message>
    <message>
        <source>This connection is set to look only.</source>
        <translation>Diese Verbindung dient nur dem Ansehen.</translation>
    </message>
    <message>
        <source>It is about to change.</source>
        <translation>Das ändert sich gerade.</translation>
    </message>
    <message>
        <source>Embedded engine: failed</source>
        <translation>Eigene Engine: gescheitert</translation>
    </message>
    <message>
        <source>Press to stop it; what is in flight is ended first.</source>
        <translation>Drücken Sie, um sie anzuhalten; Laufendes wird zuerst beendet.</translation>
    </message>
    <message>
        <source>Press to let this program deliver, too.</source>
        <translation>Drücken Sie, damit auch dieses Programm zustellt.</translation>
    </message>
    <message>
        <source>Stop the embedded engine?</source>
        <translation>Eigene Engine anhalten?</translation>
    </message>
    <message>
        <source>Closing stops the embedded engine.</source>
        <translation>Mit dem Schließen hält die eigene Engine an.</translation>
    </message>
    <message>
        <source>What is in flight is ended first, for up to 25 seconds. What waits stays in the store and goes on with the next engine. Operations go on, too.</source>
        <translation>Laufendes wird zuerst beendet, bis zu 25 Sekunden lang. Wartendes bleibt im Speicher und geht mit der nächsten Engine weiter, auch Vorgänge.</translation>
    </message>
    <message>
        <source>Stop and close</source>
        <translation>Anhalten und schließen</translation>
    </message>
    <message>
        <source>Keep open</source>
        <translation>Offen lassen</translation>
    </message>
    <message>
        <source>%1 – Sendoff</source>
        <translation>%1 – Sendoff</translation>
    </message>
    <message>
        <source>Sendoff</source>
        <translation>Sendoff</translation>
    </message>
    <message>
        <source>Pages</source>
        <translation>Seiten</translation>
    </message>
    <message>
        <source>Deliveries</source>
        <translation>Zustellungen</translation>
    </message>
    <message>
        <source>Dead letters</source>
        <translation>Unzustellbares</translation>
    </message>
    <message>
        <source>Menu</source>
        <translation>Menü</translation>
    </message>
    <message>
        <source>Local time</source>
        <translation>Ortszeit</translation>
    </message>
    <message>
        <source>Times are shown in this zone; press to change between UTC and local time.</source>
        <translation>Zeiten stehen in dieser Zone; drücken Sie, um zwischen UTC und Ortszeit zu wechseln.</translation>
    </message>
    <message>
        <source>Time zone: %1</source>
        <translation>Zeitzone: %1</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::OperationBar</name>
    <message>
        <source>Undo</source>
        <translation>Rückgängig</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Storing the operation …</source>
        <translation>Der Vorgang wird gespeichert …</translation>
    </message>
    <message numerus="yes">
        <source>%n deliveries are retried in %1 s. Nothing has been touched yet.</source>
        <translation>
            <numerusform>%n Zustellung wird in %1 s wiederholt. Noch wurde nichts verändert.</numerusform>
            <numerusform>%n Zustellungen werden in %1 s wiederholt. Noch wurde nichts verändert.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n deliveries are cancelled in %1 s. Nothing has been touched yet.</source>
        <translation>
            <numerusform>%n Zustellung wird in %1 s storniert. Noch wurde nichts verändert.</numerusform>
            <numerusform>%n Zustellungen werden in %1 s storniert. Noch wurde nichts verändert.</numerusform>
        </translation>
    </message>
    <message>
        <source>The operation waits for an engine: none is alive.</source>
        <translation>Der Vorgang wartet auf eine Engine: Keine läuft.</translation>
    </message>
    <message>
        <source>An engine takes the operation up …</source>
        <translation>Eine Engine nimmt den Vorgang auf …</translation>
    </message>
    <message>
        <source>Running: %1 of %2 done.</source>
        <translation>Läuft: %1 von %2 erledigt.</translation>
    </message>
    <message>
        <source>Progress</source>
        <translation>Fortschritt</translation>
    </message>
    <message>
        <source>Stop the rest</source>
        <translation>Rest anhalten</translation>
    </message>
    <message>
        <source>Takes the operation back (Ctrl+Z)</source>
        <translation>Nimmt den Vorgang zurück (Strg+Z)</translation>
    </message>
    <message>
        <source>What has left can&apos;t be called back.</source>
        <translation>Was hinausging, lässt sich nicht zurückrufen.</translation>
    </message>
    <message>
        <source>Undone. Nothing was touched.</source>
        <translation>Rückgängig gemacht. Nichts wurde verändert.</translation>
    </message>
    <message numerus="yes">
        <source>%n retried</source>
        <translation>
            <numerusform>%n wiederholt</numerusform>
            <numerusform>%n wiederholt</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cancelled</source>
        <translation>
            <numerusform>%n storniert</numerusform>
            <numerusform>%n storniert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n skipped, their state had changed</source>
        <translation>
            <numerusform>%n übersprungen, ihr Zustand hatte sich geändert</numerusform>
            <numerusform>%n übersprungen, ihr Zustand hatte sich geändert</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n gescheitert</numerusform>
            <numerusform>%n gescheitert</numerusform>
        </translation>
    </message>
    <message>
        <source>Stopped: %1.</source>
        <translation>Angehalten: %1.</translation>
    </message>
    <message>
        <source>Failed: %1. %2</source>
        <translation>Gescheitert: %1. %2</translation>
    </message>
    <message>
        <source>Done: %1.</source>
        <translation>Fertig: %1.</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::OperationDialog</name>
    <message>
        <source>Retry</source>
        <translation>Wiederholen</translation>
    </message>
    <message>
        <source>Cancel deliveries</source>
        <translation>Zustellungen stornieren</translation>
    </message>
    <message numerus="yes">
        <source>Only the %n selected</source>
        <translation>
            <numerusform>Nur die ausgewählte</numerusform>
            <numerusform>Nur die %n ausgewählten</numerusform>
        </translation>
    </message>
    <message>
        <source>All %1 that match %2</source>
        <translation>Alle %1, die passen zu %2</translation>
    </message>
    <message>
        <source>(no filter)</source>
        <translation>(kein Filter)</translation>
    </message>
    <message numerus="yes">
        <source>At most %n rows can be named one by one; narrow the filter instead.</source>
        <translation>
            <numerusform>Höchstens %n Zeile kann einzeln genannt werden; verengen Sie stattdessen den Filter.</numerusform>
            <numerusform>Höchstens %n Zeilen können einzeln genannt werden; verengen Sie stattdessen den Filter.</numerusform>
        </translation>
    </message>
    <message>
        <source>Write a filter first; a command never acts on everything.</source>
        <translation>Schreiben Sie zuerst einen Filter; ein Befehl wirkt nie auf alles.</translation>
    </message>
    <message>
        <source>&amp;Reason</source>
        <translation>&amp;Grund</translation>
    </message>
    <message>
        <source>Reason</source>
        <translation>Grund</translation>
    </message>
    <message>
        <source>Kept with the operation, for whoever asks later</source>
        <translation>Bleibt beim Vorgang, für spätere Fragen</translation>
    </message>
    <message>
        <source>Close</source>
        <translation>Schließen</translation>
    </message>
    <message>
        <source>Retry these deliveries?</source>
        <translation>Diese Zustellungen wiederholen?</translation>
    </message>
    <message>
        <source>Cancel these deliveries?</source>
        <translation>Diese Zustellungen stornieren?</translation>
    </message>
    <message>
        <source>None of these deliveries can be retried.</source>
        <translation>Keine dieser Zustellungen kann wiederholt werden.</translation>
    </message>
    <message>
        <source>None of these deliveries can be cancelled.</source>
        <translation>Keine dieser Zustellungen kann storniert werden.</translation>
    </message>
    <message numerus="yes">
        <source>Retry %n deliveries?</source>
        <translation>
            <numerusform>%n Zustellung wiederholen?</numerusform>
            <numerusform>%n Zustellungen wiederholen?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n deliveries?</source>
        <translation>
            <numerusform>%n Zustellung stornieren?</numerusform>
            <numerusform>%n Zustellungen stornieren?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Retry %n deliveries</source>
        <translation>
            <numerusform>%n Zustellung wiederholen</numerusform>
            <numerusform>%n Zustellungen wiederholen</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n deliveries</source>
        <translation>
            <numerusform>%n Zustellung stornieren</numerusform>
            <numerusform>%n Zustellungen stornieren</numerusform>
        </translation>
    </message>
    <message>
        <source>Counting …</source>
        <translation>Wird gezählt …</translation>
    </message>
    <message>
        <source>Match</source>
        <translation>Passen</translation>
    </message>
    <message>
        <source>Can be retried</source>
        <translation>Können wiederholt werden</translation>
    </message>
    <message>
        <source>Can be cancelled</source>
        <translation>Können storniert werden</translation>
    </message>
    <message>
        <source>People</source>
        <translation>Personen</translation>
    </message>
    <message>
        <source>May reach a person twice</source>
        <translation>Kommen vielleicht doppelt an</translation>
    </message>
    <message>
        <source>Content or secret is gone, stays as it is</source>
        <translation>Inhalt oder Geheimnis ist fort, bleiben so</translation>
    </message>
    <message>
        <source>Past its expiry, gets new time</source>
        <translation>Abgelaufen, bekommen neue Zeit</translation>
    </message>
    <message>
        <source>%1 × %2</source>
        <translation>%1 × %2</translation>
    </message>
    <message>
        <source>Channels</source>
        <translation>Kanäle</translation>
    </message>
    <message>
        <source>Last answers</source>
        <translation>Letzte Antworten</translation>
    </message>
    <message>
        <source>Nothing happens for ten seconds, and you can undo it. After that a message that has left can&apos;t be called back.</source>
        <translation>Zehn Sekunden lang geschieht nichts, und Sie können es rückgängig machen. Danach lässt sich nicht zurückrufen, was hinausging.</translation>
    </message>
    <message>
        <source>Nothing happens for ten seconds, and you can undo it. Messages that a provider already has are not called back.</source>
        <translation>Zehn Sekunden lang geschieht nichts, und Sie können es rückgängig machen. Was ein Anbieter schon hat, wird nicht zurückgerufen.</translation>
    </message>
    <message>
        <source>The numbers could not be counted.</source>
        <translation>Die Zahlen konnten nicht ermittelt werden.</translation>
    </message>
    <message>
        <source>The numbers are still being counted.</source>
        <translation>Die Zahlen werden noch ermittelt.</translation>
    </message>
    <message>
        <source>Nothing would change.</source>
        <translation>Nichts würde sich ändern.</translation>
    </message>
    <message numerus="yes">
        <source>Give a reason: it is asked for from %n deliveries on.</source>
        <translation>
            <numerusform>Nennen Sie einen Grund: Ab %n Zustellung wird danach gefragt.</numerusform>
            <numerusform>Nennen Sie einen Grund: Ab %n Zustellungen wird danach gefragt.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::Sidebar</name>
    <message>
        <source>%1 (Alt+%2)</source>
        <translation>%1 (Alt+%2)</translation>
    </message>
    <message>
        <source>%1, %2</source>
        <translation>%1, %2</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::StoryDock</name>
    <message>
        <source>Event</source>
        <translation>Ereignis</translation>
    </message>
    <message>
        <source>To</source>
        <translation>An</translation>
    </message>
    <message>
        <source>%1 (user %2)</source>
        <translation>%1 (Benutzer %2)</translation>
    </message>
    <message>
        <source>Channel</source>
        <translation>Kanal</translation>
    </message>
    <message>
        <source>%1 through %2</source>
        <translation>%1 über %2</translation>
    </message>
    <message>
        <source>Lane</source>
        <translation>Spur</translation>
    </message>
    <message>
        <source>Created</source>
        <translation>Erstellt</translation>
    </message>
    <message>
        <source>Due</source>
        <translation>Fällig</translation>
    </message>
    <message>
        <source>Expires</source>
        <translation>Läuft ab</translation>
    </message>
    <message>
        <source>Detail</source>
        <translation>Näheres</translation>
    </message>
    <message>
        <source>Story</source>
        <translation>Verlauf</translation>
    </message>
    <message>
        <source>Story, newest first</source>
        <translation>Verlauf, Neuestes zuerst</translation>
    </message>
    <message>
        <source>Copy the delivery&apos;s id</source>
        <translation>Kennung der Zustellung kopieren</translation>
    </message>
    <message>
        <source>No delivery selected</source>
        <translation>Keine Zustellung ausgewählt</translation>
    </message>
    <message>
        <source>Choose a row to read what happened to it.</source>
        <translation>Wählen Sie eine Zeile, um ihren Verlauf zu lesen.</translation>
    </message>
    <message>
        <source>The story could not be loaded</source>
        <translation>Der Verlauf konnte nicht geladen werden</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::Stripe</name>
    <message>
        <source>Local</source>
        <translation>Lokal</translation>
    </message>
    <message>
        <source>Test</source>
        <translation>Test</translation>
    </message>
    <message>
        <source>Production</source>
        <translation>Produktion</translation>
    </message>
    <message>
        <source>look only</source>
        <translation>nur ansehen</translation>
    </message>
</context>
<context>
    <name>sendoff::ui::Timeline</name>
    <message>
        <source>Attempt %1: %2</source>
        <translation>Versuch %1: %2</translation>
    </message>
    <message>
        <source>%1 answered %2</source>
        <translation>%1 antwortete %2</translation>
    </message>
    <message>
        <source>Waits %1, as the provider asked.</source>
        <translation>Wartet %1, wie vom Anbieter erbeten.</translation>
    </message>
    <message>
        <source>Waits %1 for the next one.</source>
        <translation>Wartet %1 bis zum nächsten.</translation>
    </message>
    <message>
        <source>May have reached the person twice.</source>
        <translation>Kam vielleicht doppelt an.</translation>
    </message>
    <message>
        <source>Took %1 on %2.</source>
        <translation>Dauerte %1 auf %2.</translation>
    </message>
    <message>
        <source>Event %1 became this delivery</source>
        <translation>Aus Ereignis %1 wurde diese Zustellung</translation>
    </message>
    <message>
        <source>%1: “%2”</source>
        <translation>%1: „%2“</translation>
    </message>
    <message>
        <source>Operation: %1 (%2)</source>
        <translation>Vorgang: %1 (%2)</translation>
    </message>
    <message>
        <source>Ended: %1</source>
        <translation>Beendet: %1</translation>
    </message>
</context>
</TS>
