#pragma once
#include <QListView>
#include <QStandardItemModel>

namespace sendoff::ui {

// The pages by name, with a count each where one is known. Alt+1 … Alt+9 choose. Thread: GUI.
class Sidebar : public QListView
{
    Q_OBJECT

public:
    explicit Sidebar(QWidget *parent = nullptr);

    void addPage(const QString &id, const QString &iconName);
    void setTitle(const QString &id, const QString &title);
    // Shown behind the title, as it stands; empty: none.
    void setCount(const QString &id, const QString &count);
    void choose(const QString &id);
    // Icons only, for a narrow window; the titles stand in the tooltips.
    void setCompact(bool compact);
    bool isCompact() const { return m_compact; }
    QString chosen() const;
    QSize sizeHint() const override;

Q_SIGNALS:
    void pageChosen(const QString &id);

protected:
    void currentChanged(const QModelIndex &current, const QModelIndex &previous) override;

private:
    QStandardItem *item(const QString &id) const;

    QStandardItemModel m_pages;
    bool m_compact = false;
};

} // namespace sendoff::ui
