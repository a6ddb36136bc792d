#pragma once
#include "admin/console.h"

#include <functional>
#include <memory>
#include <mutex>

namespace sendoff::test {

// What every FakeConsole of one store shares: rows, operations, failures, and a gate that makes questions hang.
// Threads: all members may be called from any thread.
class FakeStore : public std::enable_shared_from_this<FakeStore>
{
public:
    FakeStore();

    // A record with its place in time: `age` before now().
    DeliveryRecord aDelivery(int number, DeliveryState state = DeliveryState::Dead,
                             Milliseconds age = Milliseconds(60'000));
    void add(const DeliveryRecord &record, const std::vector<AttemptRecord> &attempts = {});
    void addMany(int count, DeliveryState state = DeliveryState::Dead);
    void addReceipt(const DeliveryId &id, const ReceiptRecord &receipt);
    void change(const DeliveryId &id, const std::function<void(DeliveryRecord &)> &change);
    void remove(const DeliveryId &id);
    void setStatus(const StatusRecord &status);
    Timestamp now() const { return m_now; }

    // Every question answers this error until it is taken back.
    void fail(const std::optional<Error> &error);
    // Questions hang from now on …
    void hold();
    // … until this. Called by the destructor of a test's fixture at the latest.
    void release();
    // How long a submitted operation stays armed; nothing: as the request says.
    void setArmed(const std::optional<Milliseconds> &armed);
    // How many questions hang now.
    int hanging() const;
    // Lets an engine's hand run what is armed: changes the rows, ends the operations.
    void runOperations();
    qint64 asked(const QString &question) const;
    std::vector<OperationRecord> operations() const;

    std::unique_ptr<admin::Console> open();

private:
    friend class FakeConsole;
    struct Shared;
    std::shared_ptr<Shared> m_shared;
    Timestamp m_now;
};

} // namespace sendoff::test
