-- findOverdueWork sends (written by npm run docs):

with
  overdue as (
    select
      *
    from
      due_work
    where
      due_at < now() - interval '15 seconds'
    order by
      due_at
    limit
      $1::int4
  )
select
  w.kind,
  w.what,
  w.due_at,
  w.account_id as "accountId",
  w.signal_id as "signalId",
  s.workflow_started_at is not null
  or s.id is null as "isStarted",
  (
    select
      json_build_object('level', h.level, 'scope', h.scope, 'reason', h.reason)
    from
      trading_halts h
    where
      h.lifted_at is null
      and (
        h.scope = 'global'
        or (
          h.scope in ('operator', 'user')
          and h.user_id = w.owner_id
        )
        or (
          h.scope = 'account'
          and h.account_id = w.account_id
        )
      )
    order by
      array_position(array['pauseEntries', 'reduceOnly', 'fullStop'], h.level) desc
    limit
      1
  ) ->> 'level' as "haltLevel",
  not exists (
    select
    from
      trading_halts h
      left join users u on u.id = h.user_id
    where
      h.lifted_at is null
      and h.level = 'fullStop'
      and (
        h.scope = 'global'
        or (
          h.scope in ('operator', 'user')
          and h.user_id = w.owner_id
        )
        or (
          h.scope = 'account'
          and h.account_id = w.account_id
        )
      )
      and (
        h.scope not in ('user', 'account')
        or u.email is distinct from h.set_by
      )
  ) as "isOwnStop",
  exists (
    select
    from
      alerts
    where
      kind = 'unprotected_position'
      and signal_id = w.signal_id
      and resolved_at is null
  )
  and w.what in ('exit', 'exit_plan') as "isKnownTrouble",
  case
    when b.status = 'error' then coalesce(b.status_detail, 'its connection is in error')
  end as "brokerTrouble"
from
  overdue w
  left join signals s on s.id = w.signal_id
  left join accounts a on a.id = w.account_id
  left join broker_connections b on b.id = a.broker_id
order by
  w.due_at;
