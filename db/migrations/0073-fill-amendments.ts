import { Migration } from '@mikro-orm/migrations'
import { ALERT_KINDS } from '#domain/alert.ts'
import { belongsTo } from './row-policy.ts'

/** Executions that their broker has taken back, so that none of them is stored again from a list that is older. */
export class FillAmendments extends Migration {
  override up(): void {
    this.addSql(`
      create table fill_amendments (
        account_id uuid not null,
        execution_id text not null,
        user_id uuid not null,
        corrected jsonb,
        amended_at timestamptz not null default now(),
        primary key (account_id, execution_id),
        foreign key (user_id, account_id) references accounts (user_id, id) on delete cascade
      )`)
    for (const statement of belongsTo('fill_amendments', 'user_id', 'select')) this.addSql(statement)
    this.addSql(`alter table alerts drop constraint alerts_kind_check`)
    this.addSql(`
      alter table alerts add constraint alerts_kind_check
        check (kind in (${ALERT_KINDS.map((kind) => `'${kind}'`).join(', ')}))`)
  }
}
