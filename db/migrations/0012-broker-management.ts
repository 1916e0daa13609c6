import { Migration } from '@mikro-orm/migrations'

/**
 * Connections that their owners make, watch and remove. One that is removed keeps its row, because orders and trades
 * point at it through its accounts; its credentials are gone.
 */
export class BrokerManagement extends Migration {
  override up(): void {
    this.addSql(`
      alter table broker_connections
        add column last_checked_at timestamptz,
        add column deleted_at timestamptz,
        drop constraint broker_connections_credentials,
        add constraint broker_connections_credentials check (
          case when deleted_at is null then (credentials is null) <> (sealed_credentials is null)
          else credentials is null and sealed_credentials is null end)`)
    // Whoever connects an account copies its balances, and with them the start of its day.
    this.addSql(`grant insert on account_day_starts to durable_trader_member`)
    this.addSql(`create index accounts_of_connection on accounts (broker_id)`)
  }
}
