#pragma once
#include <QIODevice>

namespace sendoff::channel {

// A request body that can be read once. QNetworkAccessManager sends a POST again by itself when the peer closes
// without an answer; it can't do so with a sequential device that refuses to rewind. What was pulled from it is the
// proof of "not sent": it is read in the transport's thread, so 0 pulled means that nothing was handed over.
class OneShotBody final : public QIODevice
{
public:
    OneShotBody(QByteArray bytes, QObject *parent);

    qint64 pulled() const { return m_pulled; }
    int resets() const { return m_resets; } // times that somebody wanted to read it again

    bool isSequential() const override { return true; }
    bool reset() override;
    bool atEnd() const override { return m_pulled >= m_bytes.size(); }
    qint64 bytesAvailable() const override { return m_bytes.size() - m_pulled; }

protected:
    qint64 readData(char *target, qint64 wanted) override;
    qint64 writeData(const char *, qint64) override { return -1; }

private:
    QByteArray m_bytes;
    qint64 m_pulled = 0;
    int m_resets = 0;
};

} // namespace sendoff::channel
