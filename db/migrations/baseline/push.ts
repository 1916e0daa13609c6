import { belongsTo } from '../row-policy.ts'

/** Notifications on phones and desks: where they go, what their owner chose, and what is still to be sent. */
export const PUSH: string[] = [
  // push_subscriptions: browsers that take notifications, each for the session that it is signed in with.
  `
    create table push_subscriptions (
      id uuid primary key,
      user_id uuid not null,
      session_id uuid not null,
      endpoint text not null unique check (char_length(endpoint) <= 2000),
      p256dh text not null,
      auth text not null,
      key_id text not null,
      device text not null check ((char_length(device) >= 1) and (char_length(device) <= 100)),
      created_at timestamptz not null default now(),
      last_delivered_at timestamptz,
      -- Messages in a row that its push service did not take, and until when it is left alone for that.
      failures integer not null default 0,
      retry_at timestamptz,
      foreign key (user_id, session_id) references sessions (user_id, id) on delete cascade
    )`,
  `create index push_subscriptions_user on push_subscriptions (user_id, created_at desc, id desc)`,
  `create index push_subscriptions_session on push_subscriptions (user_id, session_id)`,
  ...belongsTo('push_subscriptions', 'user_id', 'select, insert, update, delete'),
  // A browser belongs to the user who subscribed with it last, who may not see the row of the one before.
  `
    create function push_subscriptions_take_over() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      delete from push_subscriptions where endpoint = new.endpoint and user_id <> new.user_id;
      return new;
    end
    $$`,
  `
    create trigger push_subscriptions_taken_over before insert on push_subscriptions
    for each row execute function push_subscriptions_take_over()`,

  // notification_choices: what users want to be notified of; those without a row have the defaults.
  `
    create table notification_choices (
      user_id uuid primary key references users on delete cascade,
      waiting_signals boolean not null default true,
      alerts boolean not null default true,
      show_figures boolean not null default false,
      updated_at timestamptz not null default now()
    )`,
  ...belongsTo('notification_choices', 'user_id', 'select, insert, update'),

  // push_outbox: notifications that are to be sent, at most one of each subject for each subscription: newer news
  // replaces what was not sent yet. Without foreign keys, so that what trades never waits for a subscription that is
  // being removed; the sender drops what has lost its subscription.
  `
    create table push_outbox (
      id bigint generated always as identity,
      subscription_id uuid,
      subject_id uuid,
      kind text not null check (kind in ('waiting', 'settled', 'alert')),
      attempts integer not null default 0,
      due_at timestamptz not null default now(),
      expires_at timestamptz not null,
      primary key (subscription_id, subject_id)
    )`,
  `create index push_outbox_due on push_outbox (due_at)`,
  `create unique index push_outbox_id on push_outbox (id)`,
  `create index push_outbox_turn on push_outbox (subscription_id, due_at)`,
  `create index push_outbox_subject on push_outbox (subject_id)`,
  `
    create function push_later(owner uuid, subject uuid, told text, until timestamptz, untold uuid[] default '{}') returns void language sql as $$
      insert into push_outbox (subscription_id, subject_id, kind, expires_at)
      select p.id, subject, told, until
      from push_subscriptions p
      join sessions s on s.id = p.session_id and s.ended_at is null and s.expires_at > now()
      left join notification_choices c on c.user_id = p.user_id
      where p.user_id = owner and p.id <> all (untold)
        and case told when 'alert' then coalesce(c.alerts, true) else coalesce(c.waiting_signals, true) end
        -- An outage raises an alert for every signal that is due: a phone is told of the first ones.
        and (told <> 'alert' or (select count(*) from push_outbox o where o.subscription_id = p.id and o.kind = 'alert') < 10)
      on conflict (subscription_id, subject_id) do update
        set id = default, kind = excluded.kind, attempts = 0, due_at = excluded.due_at, expires_at = excluded.expires_at
    $$`,
  // In their owner's name, because users may neither read nor write what is to be sent.
  `
    create function signals_push() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    declare
      untold uuid[];
    begin
      if new.status = 'pending' then
        perform push_later(new.user_id, new.id, 'waiting', least(new.valid_until, now() + interval '24 hours'));
      else
        -- A phone that was never told of the signal need not be told that it waits no longer.
        with unsent as (
          delete from push_outbox where subject_id = new.id and kind = 'waiting' and attempts = 0
          returning subscription_id
        ) select coalesce(array_agg(subscription_id), '{}') into untold from unsent;
        perform push_later(new.user_id, new.id, 'settled', now() + interval '24 hours', untold);
      end if;
      return null;
    end
    $$`,
  `
    create trigger signals_push_waiting after insert on signals
    for each row when (new.status = 'pending') execute function signals_push()`,
  `
    create trigger signals_push_settled after update of status on signals
    for each row when ((old.status = 'pending') is distinct from (new.status = 'pending')) execute function signals_push()`,
  `
    create function alerts_push() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
    begin
      perform push_later(new.user_id, new.id, 'alert', now() + interval '1 hour');
      return null;
    end
    $$`,
  `
    create trigger alerts_push after insert on alerts
    for each row when (new.resolved_at is null) execute function alerts_push()`,
]
