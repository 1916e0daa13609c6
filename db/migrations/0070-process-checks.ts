import { Migration } from '@mikro-orm/migrations'

/** Which workers run, and by which keys what is stored was encrypted. For the service itself: users see neither. */
export class ProcessChecks extends Migration {
  override up(): void {
    this.addSql(`
      create table worker_heartbeats (
        worker_id uuid primary key,
        task_queue text not null,
        seen_at timestamptz not null
      )`)
    this.addSql(`
      create table encryption_key_checks (
        key_id text primary key,
        check_value text not null,
        registered_at timestamptz not null default now()
      )`)
  }
}
