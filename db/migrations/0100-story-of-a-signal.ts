import { Migration } from '@mikro-orm/migrations'
import { tellLiveFunction } from './live-trigger.ts'
import { belongsTo } from './row-policy.ts'

/** What whoever decides on a signal, or reads its story, is shown of it: by whom, at which price, and when each step was. */
export class StoryOfASignal extends Migration {
  override up(): void {
    this.addSql(`
      alter table signals
        add column sent_by text,
        add column decided_by text,
        add column decided_at timestamptz,
        add column checked_at timestamptz,
        add column held_price numeric(20,9)`)
    this.addSql(
      `update signals set held_price = (decisions ->> 'priceBeforeApproval')::numeric where decisions -> 'priceBeforeApproval' is not null`,
    )
    this.addSql(`
      update signals s set decided_by = e.data ->> 'by', decided_at = e.at
      from signal_events e where e.signal_id = s.id and e.key in ('approved', 'declined')`)
    this.addSql(`
      update signals s set sent_by = coalesce('token ' || to_json(t.label)::text, u.email)
      from signal_events e
      join signals own on own.id = e.signal_id
      join users u on u.id = own.user_id
      left join access_tokens t on t.id::text = e.data ->> 'tokenId' and t.user_id = u.id
      where e.signal_id = s.id and e.key = 'received'`)
    // When an order was let out to be sent is known for days only in the table that counts them.
    this.addSql(`alter table orders add column sent_at timestamptz, add column acknowledged_at timestamptz`)
    this.addSql(`update orders set acknowledged_at = created_at where signal_id is not null`)

    this.addSql(`
      create table signal_sources (
        signal_id uuid primary key,
        user_id uuid not null,
        body text not null,
        foreign key (user_id, signal_id) references signals (user_id, id) on delete cascade
      )`)
    for (const statement of belongsTo('signal_sources', 'user_id', 'select, insert')) this.addSql(statement)

    // When the entry was judged is part of the detail alone: no news to those who watch.
    this.addSql(
      tellLiveFunction('signals', 'signal', {
        unseen: [
          'updated_at',
          'workflow_started_at',
          'entry_ended_at',
          'decisions',
          'exit_generation',
          'closings',
          'reopen_state',
          'reopened_by',
          'checked_at',
        ],
      }),
    )

    this.addSql(`
      create index signals_soonest_to_expire on signals
        (user_id, (coalesce(valid_until, '9999-12-31T00:00:00Z')), id) where status = 'pending'`)
    this.addSql(`
      create index signals_exits_to_come on signals (user_id, exit_submit_at)
      where exit_status in ('waiting', 'scheduled')`)
  }
}
