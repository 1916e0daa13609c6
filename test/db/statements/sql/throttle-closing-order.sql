-- checkThrottle sends (written by npm run docs):

with
  asked as (
    select
      $1::uuid as account_id,
      $2::text as client_order_id,
      $3::uuid as signal_id,
      $4::boolean::boolean as generation_ok,
      null::uuid as manual_order_id,
      $5::int4::integer as minute_cap,
      $6::int4::integer as day_cap,
      true as reducing
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
      true as accounted,
      null as sender
    from
      asked
  ),
  registered as (
    insert into
      orders_out (client_order_id, account_id, reducing, registered_at)
    select
      asked.client_order_id,
      asked.account_id,
      asked.reducing,
      now()
    from
      asked,
      judged
    where
      judged.halt ->> 'level' is distinct from 'fullStop'
      and judged.accounted
    on conflict (client_order_id) do nothing
    returning
      account_id
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
  -- Reads what stood there before this statement.
select
  halt,
  accounted,
  sender,
  (
    select
      o.registered_at
    from
      orders_out o,
      asked
    where
      o.client_order_id = asked.client_order_id
  ) as before
from
  judged;
