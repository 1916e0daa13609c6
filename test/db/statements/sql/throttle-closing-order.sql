-- checkThrottle sends (written by npm run docs):

with
  asked as (
    select
      $1::uuid as account_id,
      $2::text as client_order_id,
      $3::numeric as quantity,
      $4::uuid as signal_id,
      $5::text as decision,
      $6::boolean::boolean as is_beyond,
      null::uuid as manual_order_id,
      $7::int4::integer as minute_cap,
      $8::int4::integer as day_cap,
      true as reducing
  ),
  of_signal as materialized (
    select
      s.decisions -> asked.decision as decision,
      asked.decision = 'entry'
      and s.status in ('rejected', 'cancelled', 'error') as has_ended,
      case asked.decision
        when 'entry' then s.checked_at
        else (s.decisions -> asked.decision ->> 'sizedAt')::timestamptz
      end as decided_at
    from
      asked
      join signals s on s.id = asked.signal_id
      and s.account_id = asked.account_id
    where
      not asked.is_beyond
    for share of
      s
  ),
  of_person as materialized (
    select
      h.decision,
      exists (
        select
        from
          orders o
        where
          o.id = h.order_id
          and o.status in ('FILLED', 'CANCELLED', 'REJECTED', 'EXPIRED')
      ) as has_ended,
      h.created_at as decided_at
    from
      asked
      join manual_orders h on h.order_id = asked.manual_order_id
    where
      exists (
        select
        from
          orders o
        where
          o.id = h.order_id
          and o.account_id = asked.account_id
      )
    for share of
      h
  ),
  source as (
    select
      *
    from
      of_signal
    union all
    select
      *
    from
      of_person
  ),
  judged as (
    select
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
              and h.user_id = (
                select
                  user_id
                from
                  accounts
                where
                  id = asked.account_id
              )
            )
            or (
              h.scope = 'account'
              and h.account_id = asked.account_id
            )
          )
        order by
          array_position(array['pauseEntries', 'reduceOnly', 'fullStop'], h.level) desc
        limit
          1
      ) as halt,
      exists (
        select
        from
          source
      ) as accounted,
      null as sender,
      exists (
        select
        from
          source
        where
          not has_ended
          and (decision ->> 'quantity')::numeric = asked.quantity
          and coalesce(decision ->> 'outcome', 'ready') = 'ready'
          and decision -> 'stopped' is null
      ) as stands
    from
      asked
  ),
  registered as (
    insert into
      orders_out as out (client_order_id, account_id, reducing, registered_at, passes, passed_at)
    select
      asked.client_order_id,
      asked.account_id,
      asked.reducing,
      now(),
      1,
      now()
    from
      asked,
      judged
    where
      judged.halt ->> 'level' is distinct from 'fullStop'
      and judged.stands
    on conflict (client_order_id) do update
    set
      passes = out.passes + 1,
      passed_before = out.passed_at,
      passed_at = now()
    where
      out.given_up is null
    returning
      account_id,
      passes,
      passed_before
  ),
  counted as (
    insert into
      order_rates as rate (account_id, reducing, minute, minute_count, minute_cap, day, day_count, day_cap)
    select
      asked.account_id,
      asked.reducing,
      date_trunc('minute', now()),
      1,
      asked.minute_cap,
      (now() at time zone 'America/New_York')::date,
      1,
      2147483647
    from
      asked
      join registered using (account_id)
      left join risk_settings settings on settings.account_id = asked.account_id
    where
      registered.passes = 1
    on conflict (account_id, reducing) do update
    set
      minute = greatest(rate.minute, excluded.minute),
      minute_count = case
        when rate.minute >= excluded.minute then rate.minute_count + 1
        else 1
      end,
      minute_cap = excluded.minute_cap,
      day = greatest(rate.day, excluded.day),
      day_count = case
        when rate.day >= excluded.day then rate.day_count + 1
        else 1
      end,
      day_cap = excluded.day_cap
    returning
      day_count
  ),
  forgotten as (
    delete from orders_out
    where
      registered_at < now() - interval '7 days'
      and (
        select
          day_count
        from
          counted
      ) = 1
  )
  -- Of an order that was not let out, what stood there before this statement.
select
  judged.halt,
  judged.accounted,
  judged.sender,
  judged.stands,
  registered.passes is not null as let_out,
  coalesce(registered.passes, known.passes, 0) as passes,
  known.given_up,
  case
    when registered.passes is null then known.passed_at
    else registered.passed_before
  end as before,
  (
    select
      decided_at
    from
      source
  ) as decided_at,
  now() as as_of
from
  judged
  left join registered on true
  left join orders_out known on known.client_order_id = (
    select
      client_order_id
    from
      asked
  );
