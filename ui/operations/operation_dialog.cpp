#include "ui/operations/operation_dialog.h"

#include "ui/shell/stripe.h"
#include "ui/widgets/type.h"
#include "ui/widgets/wording.h"

#include <QGridLayout>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QPushButton>
#include <QRadioButton>
#include <QTimer>
#include <QVBoxLayout>

namespace sendoff::ui {

OperationDialog::OperationDialog(const QString &verb, Scope scope, ConsoleWorker &worker, const Connection &connection,
                                 QWidget *parent)
    : QDialog(parent)
    , m_verb(verb)
    , m_scope(std::move(scope))
    , m_worker(worker)
{
    build(connection);
    askPreview();
}

void OperationDialog::build(const Connection &connection)
{
    setWindowTitle(isRetry() ? tr("Retry") : tr("Cancel deliveries"));
    auto *outer = new QVBoxLayout(this);
    outer->setContentsMargins(0, 0, 0, 0);
    outer->setSpacing(0);
    auto *stripe = new Stripe(this);
    stripe->setConnection(connection);
    outer->addWidget(stripe);
    auto *column = new QVBoxLayout;
    column->setContentsMargins(24, 16, 24, 16);
    column->setSpacing(12);
    outer->addLayout(column);

    m_question = new SizedLabel(1.25, QFont::DemiBold, this);
    m_question->setWordWrap(true);
    column->addWidget(m_question);

    m_chosenOnly = new QRadioButton(this);
    m_allMatching = new QRadioButton(this);
    const int chosen = int(m_scope.chosen.size());
    m_chosenOnly->setText(tr("Only the %n selected", nullptr, chosen));
    m_allMatching->setText(tr("All %1 that match %2")
                               .arg(Words::cappedCount(m_scope.matchingCount),
                                    m_scope.matching.isEmpty() ? tr("(no filter)") : m_scope.matching.toText()));
    m_chosenOnly->setEnabled(chosen > 0 && chosen <= maxChosen);
    if (chosen > maxChosen)
        m_chosenOnly->setToolTip(
            tr("At most %n rows can be named one by one; narrow the filter instead.", nullptr, maxChosen));
    m_allMatching->setEnabled(!m_scope.matching.isEmpty());
    if (m_scope.matching.isEmpty())
        m_allMatching->setToolTip(tr("Write a filter first; a command never acts on everything."));
    (m_chosenOnly->isEnabled() ? m_chosenOnly : m_allMatching)->setChecked(true);
    auto *choices = new QVBoxLayout;
    choices->setSpacing(4);
    choices->addWidget(m_chosenOnly);
    choices->addWidget(m_allMatching);
    column->addLayout(choices);

    m_facts = new QFrame(this);
    m_facts->setProperty("card", true);
    m_grid = new QGridLayout(m_facts);
    m_grid->setContentsMargins(16, 12, 16, 12);
    m_grid->setHorizontalSpacing(16);
    m_grid->setVerticalSpacing(6);
    m_grid->setColumnStretch(1, 1);
    column->addWidget(m_facts);
    m_consequence = new QLabel(this);
    m_consequence->setWordWrap(true);
    setTone(m_consequence, Tone::Muted);
    column->addWidget(m_consequence);

    auto *reasonLabel = new QLabel(tr("&Reason"), this);
    m_reason = new QLineEdit(this);
    m_reason->setMaxLength(500);
    m_reason->setAccessibleName(tr("Reason"));
    m_reason->setPlaceholderText(tr("Kept with the operation, for whoever asks later"));
    reasonLabel->setBuddy(m_reason);
    auto *reason = new QVBoxLayout;
    reason->setSpacing(4);
    reason->addWidget(reasonLabel);
    reason->addWidget(m_reason);
    column->addLayout(reason);

    auto *buttons = new QHBoxLayout;
    auto *close = new QPushButton(tr("Close"), this);
    m_accept = new QPushButton(this);
    m_accept->setProperty(isRetry() ? "primary" : "danger", true);
    // Enter may send again, it may never take away.
    m_accept->setDefault(isRetry());
    m_accept->setAutoDefault(isRetry());
    close->setAutoDefault(!isRetry());
    close->setDefault(!isRetry());
    buttons->addStretch(1);
    buttons->addWidget(close);
    buttons->addWidget(m_accept);
    column->addSpacing(4);
    column->addLayout(buttons);

    m_question->setMinimumWidth(fontMetrics().averageCharWidth() * 84);
    m_reason->setFocus();
    connect(close, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_accept, &QPushButton::clicked, this, &QDialog::accept);
    connect(m_reason, &QLineEdit::textChanged, this, &OperationDialog::updateButton);
    connect(m_chosenOnly, &QRadioButton::toggled, this, &OperationDialog::askPreview);
}

Filter OperationDialog::scopeFilter() const
{
    if (!m_chosenOnly->isChecked())
        return m_scope.matching;
    FilterTerm term;
    term.field = QStringLiteral("id");
    term.values = m_scope.chosen;
    return Filter{{term}};
}

admin::OperationRequest OperationDialog::request() const
{
    admin::OperationRequest request;
    request.verb = m_verb;
    request.filter = scopeFilter();
    request.reason = m_reason->text().trimmed();
    return request;
}

void OperationDialog::askPreview()
{
    m_preview.reset();
    showPreview();
    m_worker.ask(
        m_slot, [request = request()](admin::Console &console) { return console.preview(request); },
        [this](Result<PreviewRecord> preview) {
            if (!preview) {
                showTrouble(preview.error().message);
                return;
            }
            m_preview = std::move(*preview);
            showPreview();
        });
}

QString OperationDialog::question() const
{
    if (!m_preview)
        return isRetry() ? tr("Retry these deliveries?") : tr("Cancel these deliveries?");
    if (m_preview->changeable == 0)
        return isRetry() ? tr("None of these deliveries can be retried.")
                         : tr("None of these deliveries can be cancelled.");
    const int count = int(m_preview->changeable);
    return isRetry() ? tr("Retry %n deliveries?", nullptr, count) : tr("Cancel %n deliveries?", nullptr, count);
}

QString OperationDialog::verbLabel(qint64 count) const
{
    if (count < 0)
        return isRetry() ? tr("Retry") : tr("Cancel deliveries");
    return isRetry() ? tr("Retry %n deliveries", nullptr, int(count)) : tr("Cancel %n deliveries", nullptr, int(count));
}

void OperationDialog::addFact(const QString &what, const QString &number, Tone tone)
{
    const int row = m_grid->rowCount();
    auto *label = new QLabel(what, m_facts);
    auto *value = new ElidedLabel(Qt::ElideRight, m_facts);
    value->setFullText(number);
    value->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
    setTone(label, tone == Tone::Plain ? Tone::Muted : tone);
    setTone(value, tone);
    m_grid->addWidget(label, row, 0);
    m_grid->addWidget(value, row, 1);
}

void OperationDialog::showPreview()
{
    qDeleteAll(m_facts->findChildren<QLabel *>());
    m_question->setText(question());
    if (!m_preview) {
        addFact(tr("Counting …"), {});
        m_consequence->clear();
    } else {
        const PreviewRecord &preview = *m_preview;
        const auto risk = [](qint64 count) { return count > 0 ? Tone::Warning : Tone::Plain; };
        const QLocale locale;
        addFact(tr("Match"), Words::cappedCount(preview.count));
        addFact(isRetry() ? tr("Can be retried") : tr("Can be cancelled"), locale.toString(preview.changeable));
        addFact(tr("People"), locale.toString(preview.people));
        if (isRetry()) {
            addFact(tr("May reach a person twice"), locale.toString(preview.possibleDuplicates),
                    risk(preview.possibleDuplicates));
            addFact(tr("Content or secret is gone, stays as it is"), locale.toString(preview.contentGone),
                    risk(preview.contentGone));
            addFact(tr("Past its expiry, gets new time"), locale.toString(preview.expired), risk(preview.expired));
        }
        const auto parts = [&](const std::vector<std::pair<QString, qint64>> &counts, auto &&name) {
            QStringList texts;
            for (const auto &[word, count] : counts)
                texts += tr("%1 × %2").arg(locale.toString(count), name(word));
            return texts.mid(0, 4).join(QLatin1String(", "));
        };
        const auto channelName = [](const QString &word) {
            const auto channel = fromText<Channel>(word);
            return channel ? Words::channel(*channel) : word;
        };
        if (!preview.byChannel.empty())
            addFact(tr("Channels"), parts(preview.byChannel, channelName));
        if (!preview.byCode.empty())
            addFact(tr("Last answers"), parts(preview.byCode, [](const QString &word) {
                        return word.isEmpty() ? QStringLiteral("–") : word;
                    }));
        m_consequence->setText(
            isRetry() ? tr("Nothing happens for ten seconds, and you can undo it. After that a message that "
                           "has left can't be called back.")
                      : tr("Nothing happens for ten seconds, and you can undo it. Messages that a provider "
                           "already has are not called back."));
    }
    updateButton();
    fit();
}

// The rows are another number than before: the dialog takes the height they need.
void OperationDialog::fit()
{
    const auto take = [this] {
        layout()->activate();
        const int wide = std::max({sizeHint().width(), minimumSizeHint().width(), width()});
        const int high = layout()->hasHeightForWidth() ? layout()->totalHeightForWidth(wide) : sizeHint().height();
        resize(wide, std::max(high, minimumSizeHint().height()));
    };
    take();
    QTimer::singleShot(0, this, take); // the new labels know their height once they are polished
}

void OperationDialog::showTrouble(const QString &text)
{
    qDeleteAll(m_facts->findChildren<QLabel *>());
    addFact(tr("The numbers could not be counted."), {}, Tone::Danger);
    m_consequence->setText(text);
    updateButton();
}

void OperationDialog::updateButton()
{
    m_accept->setText(verbLabel(m_preview ? m_preview->changeable : -1));
    QString why;
    if (!m_preview)
        why = tr("The numbers are still being counted.");
    else if (m_preview->changeable == 0)
        why = tr("Nothing would change.");
    else if (m_preview->changeable >= reasonFrom && m_reason->text().trimmed().isEmpty())
        why = tr("Give a reason: it is asked for from %n deliveries on.", nullptr, int(reasonFrom));
    m_accept->setEnabled(why.isEmpty());
    m_accept->setToolTip(why);
    m_accept->setAccessibleDescription(why);
}

} // namespace sendoff::ui
