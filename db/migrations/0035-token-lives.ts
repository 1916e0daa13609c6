import { Migration } from '@mikro-orm/migrations'

/** No access token or API key works for ever: the ones without an end get one. */
export class TokenLives extends Migration {
  override up(): void {
    this.addSql(`
      update access_tokens set expires_at = now() + interval '366 days'
      where expires_at is null or expires_at > now() + interval '366 days'`)
    this.addSql(`
      alter table access_tokens
        alter column expires_at set default now() + interval '366 days',
        alter column expires_at set not null`)
  }
}
