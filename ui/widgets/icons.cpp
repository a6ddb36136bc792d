#include "ui/widgets/icons.h"

#include <QFile>
#include <QGuiApplication>
#include <QIconEngine>
#include <QPainter>
#include <QPixmapCache>
#include <QSvgRenderer>

static void initialiseResources()
{
    Q_INIT_RESOURCE(console);
    Q_INIT_RESOURCE(translations);
}

namespace sendoff::ui {

namespace {

// Draws the outline in the colour of the moment, so that one icon serves both themes and every scale.
class ThemedIcon : public QIconEngine
{
public:
    ThemedIcon(QString name, Tone tone)
        : m_name(std::move(name))
        , m_tone(tone)
    {}

    QIconEngine *clone() const override { return new ThemedIcon(m_name, m_tone); }

    void paint(QPainter *painter, const QRect &rect, QIcon::Mode mode, QIcon::State) override
    {
        render(painter, rect, mode);
    }

    QPixmap pixmap(const QSize &size, QIcon::Mode mode, QIcon::State) override
    {
        const QString key = QStringLiteral("sendoff/%1/%2x%3/%4")
                                .arg(m_name, QString::number(size.width()), QString::number(size.height()),
                                     colour(mode).name(QColor::HexArgb));
        QPixmap pixmap;
        if (QPixmapCache::find(key, &pixmap))
            return pixmap;
        pixmap = QPixmap(size);
        pixmap.fill(Qt::transparent);
        QPainter painter(&pixmap);
        render(&painter, QRect(QPoint(), size), mode);
        painter.end();
        QPixmapCache::insert(key, pixmap);
        return pixmap;
    }

private:
    QColor colour(QIcon::Mode mode) const
    {
        return colourOf(mode == QIcon::Disabled ? Tone::Muted : m_tone, QGuiApplication::palette());
    }

    void render(QPainter *painter, const QRect &rect, QIcon::Mode mode) const
    {
        QFile file(QStringLiteral(":/sendoff/icons/%1.svg").arg(m_name));
        if (!file.open(QIODevice::ReadOnly)) {
            qWarning("no icon \"%s\"", qPrintable(m_name));
            return;
        }
        QByteArray drawing = file.readAll();
        drawing.replace("currentColor", colour(mode).name().toLatin1());
        // A place wider than high keeps the icon square at its left: the rest is the distance to a button's text.
        const int side = std::min(rect.width(), rect.height());
        QSvgRenderer(drawing).render(painter, QRectF(rect.x(), rect.y() + (rect.height() - side) / 2.0, side, side));
    }

    QString m_name;
    Tone m_tone;
};

} // namespace

void registerResources()
{
    initialiseResources();
}

QIcon icon(const QString &name, Tone tone)
{
    return QIcon(new ThemedIcon(name, tone));
}

} // namespace sendoff::ui
