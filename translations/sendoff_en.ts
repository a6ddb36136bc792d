<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
<context>
    <name>Backoff</name>
    <message numerus="yes">
        <source>This delivery waited %n time(s), the last time %1.</source>
        <translation>
            <numerusform>This delivery waited once: %1.</numerusform>
            <numerusform>This delivery waited %n times, the last time %1.</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>Words</name>
    <message numerus="yes">
        <source>%1, %2, %3 to %4, answer %5, %n attempt(s), %6</source>
        <translation>
            <numerusform>%1, %2, %3 to %4, answer %5, %n attempt, %6</numerusform>
            <numerusform>%1, %2, %3 to %4, answer %5, %n attempts, %6</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::DeliveriesPage</name>
    <message numerus="yes">
        <source>%n selected</source>
        <translation>
            <numerusform>%n selected</numerusform>
            <numerusform>%n selected</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::DeliveryModel</name>
    <message numerus="yes">
        <source>%n attempt(s)</source>
        <translation>
            <numerusform>%n attempt</numerusform>
            <numerusform>%n attempts</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failure(s)</source>
        <translation>
            <numerusform>%n failure</numerusform>
            <numerusform>%n failures</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::DeliveryTable</name>
    <message numerus="yes">
        <source>%n new</source>
        <translation>
            <numerusform>%n new</numerusform>
            <numerusform>%n new</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::MainWindow</name>
    <message numerus="yes">
        <source>%n engine(s) alive</source>
        <translation>
            <numerusform>%n engine alive</numerusform>
            <numerusform>%n engines alive</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::OperationBar</name>
    <message numerus="yes">
        <source>%n deliveries are retried in %1 s. Nothing has been touched yet.</source>
        <translation>
            <numerusform>%n delivery is retried in %1 s. Nothing has been touched yet.</numerusform>
            <numerusform>%n deliveries are retried in %1 s. Nothing has been touched yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n deliveries are cancelled in %1 s. Nothing has been touched yet.</source>
        <translation>
            <numerusform>%n delivery is cancelled in %1 s. Nothing has been touched yet.</numerusform>
            <numerusform>%n deliveries are cancelled in %1 s. Nothing has been touched yet.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n retried</source>
        <translation>
            <numerusform>%n retried</numerusform>
            <numerusform>%n retried</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n cancelled</source>
        <translation>
            <numerusform>%n cancelled</numerusform>
            <numerusform>%n cancelled</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n skipped, their state had changed</source>
        <translation>
            <numerusform>%n skipped, its state had changed</numerusform>
            <numerusform>%n skipped, their state had changed</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>%n failed</source>
        <translation>
            <numerusform>%n failed</numerusform>
            <numerusform>%n failed</numerusform>
        </translation>
    </message>
</context>
<context>
    <name>sendoff::ui::OperationDialog</name>
    <message numerus="yes">
        <source>Only the %n selected</source>
        <translation>
            <numerusform>Only the selected one</numerusform>
            <numerusform>Only the %n selected</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>At most %n rows can be named one by one; narrow the filter instead.</source>
        <translation>
            <numerusform>At most %n row can be named one by one; narrow the filter instead.</numerusform>
            <numerusform>At most %n rows can be named one by one; narrow the filter instead.</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Retry %n deliveries?</source>
        <translation>
            <numerusform>Retry %n delivery?</numerusform>
            <numerusform>Retry %n deliveries?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n deliveries?</source>
        <translation>
            <numerusform>Cancel %n delivery?</numerusform>
            <numerusform>Cancel %n deliveries?</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Retry %n deliveries</source>
        <translation>
            <numerusform>Retry %n delivery</numerusform>
            <numerusform>Retry %n deliveries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Cancel %n deliveries</source>
        <translation>
            <numerusform>Cancel %n delivery</numerusform>
            <numerusform>Cancel %n deliveries</numerusform>
        </translation>
    </message>
    <message numerus="yes">
        <source>Give a reason: it is asked for from %n deliveries on.</source>
        <translation>
            <numerusform>Give a reason: it is asked for from %n delivery on.</numerusform>
            <numerusform>Give a reason: it is asked for from %n deliveries on.</numerusform>
        </translation>
    </message>
</context>
</TS>
