import { Migration } from '@mikro-orm/migrations'

/**
 * Broker credentials are stored sealed. The key is not known to the database: rows in the clear are sealed by
 * the first worker that starts, and by `npm run keys:rotate`.
 */
export class SealedCredentials extends Migration {
  override up(): void {
    this.addSql(`
      alter table broker_connections
        add column sealed_credentials text,
        alter column credentials drop not null,
        add constraint broker_connections_credentials check ((credentials is null) <> (sealed_credentials is null))`)
  }
}
