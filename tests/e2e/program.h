#pragma once
#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>
#include <memory>

namespace sendoff::test {

// What one run of sendoffd came to.
struct Answer
{
    int code = -1; // -1: it did not end by itself
    QByteArray out;
    QByteArray err;

    QJsonObject json() const { return QJsonDocument::fromJson(out).object(); }
};

// The built sendoffd with a folder of its own: configuration, catalogue, one template, no store yet. Its environment
// holds nothing that could name another configuration.
class Program
{
public:
    Program()
    {
        write("catalogue.toml", R"([[event]]
type = "greeting"
category = "news"
lane = "normal"
expires = "1h"
notify = [ { role = "guest", user = "/guest", channels = ["inbox"], template = "greeting" } ]
)");
        QDir().mkpath(path("templates/greeting"));
        write("templates/greeting/inbox.en.mustache", "---\ntitle: Hello {{name}}\n---\nYour number is {{number}}.\n");
        useStore(QStringLiteral("sqlite:") + path("store.db"));
    }

    QString path(const char *name) const { return m_folder.filePath(QString::fromUtf8(name)); }

    void write(const char *name, const QByteArray &content) const
    {
        QFile file(path(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        QCOMPARE(file.write(content), content.size());
    }

    // Writes sendoff.toml; `more` are further tables.
    void useStore(const QString &url, const QByteArray &more = {})
    {
        m_store = url;
        write("sendoff.toml", "[store]\nurl = \"" + url.toUtf8() +
                                  "\"\n[catalogue]\npath = \"catalogue.toml\"\ntemplates = \"templates\"\n" + more);
    }
    const QString &store() const { return m_store; }

    std::unique_ptr<QProcess> start(const QStringList &arguments) const
    {
        auto process = std::make_unique<QProcess>();
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.remove(QStringLiteral("SENDOFF_CONFIG"));
        environment.insert(QStringLiteral("SENDOFF_TEST_KEY"), QStringLiteral("key-that-nobody-may-see"));
        process->setProcessEnvironment(environment);
        process->setWorkingDirectory(m_folder.path());
        process->start(QStringLiteral(SENDOFF_BINARY_DIR "/app/sendoffd"), arguments);
        return process;
    }

    static Answer finish(QProcess &process)
    {
        Answer answer;
        if (!process.waitForFinished(120'000)) {
            process.kill();
            process.waitForFinished();
            return answer;
        }
        answer.code = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        answer.out = process.readAllStandardOutput();
        answer.err = process.readAllStandardError();
        return answer;
    }

    // The file sendoff.toml of the folder is found by itself: it is the working directory.
    Answer run(const QStringList &arguments, const QByteArray &input = {}) const
    {
        const auto process = start(arguments);
        process->write(input);
        process->closeWriteChannel();
        return finish(*process);
    }

private:
    QTemporaryDir m_folder;
    QString m_store;
};

} // namespace sendoff::test

// Checks the exit code of one run, with what the program said where it is another one.
#define COMPARE_CODE(answer, expected)                                                                                 \
    do {                                                                                                               \
        const sendoff::test::Answer &checkedAnswer = (answer);                                                         \
        QVERIFY2(checkedAnswer.code == (expected),                                                                     \
                 qPrintable(QStringLiteral("exit code %1, not %2; %3")                                                 \
                                .arg(checkedAnswer.code)                                                               \
                                .arg(expected)                                                                         \
                                .arg(QString::fromUtf8(checkedAnswer.err + checkedAnswer.out))));                      \
    } while (false)
