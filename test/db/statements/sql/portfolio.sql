-- summarisePortfolio sends (written by npm run docs):

with
  mine as materialized (
    select
      a.*,
      day.equity as day_start,
      day.closes
    from
      accounts a
      left join account_day_starts day on day.account_id = a.id
      and day.day = (now() at time zone 'America/New_York')::date
    where
      a.user_id = $1
      and a.is_demo = $2::boolean
      and a.is_active
  )
select
  coalesce(sum(equity), 0)::text as equity,
  coalesce(sum(cash_balance), 0)::text as "cashBalance",
  coalesce(sum(buying_power), 0)::text as "buyingPower",
  coalesce(sum(market_value), 0)::text as "marketValue",
  coalesce(sum(unrealised_pnl), 0)::text as "unrealisedPnl",
  coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
  (
    select
      coalesce(json_agg(c), '[]')
    from
      (
        select
          side,
          sum(quantity)::text as quantity,
          sum(quantity * exit_price)::text as "exitValue",
          sum(exit_fees)::text as "exitFees",
          sum(realised_pnl)::text as "realisedPnl",
          last_close::text as "lastClose",
          (
            count(*) filter (
              where
                was_held
                and last_close is null
            )
          )::int as whole
        from
          (
            select
              t.*,
              was_held,
              case
                when was_held
                and not exists (
                  select
                  from
                    fills f
                  where
                    f.order_id = any (t.exit_order_ids)
                    and f.at < (((now() at time zone 'America/New_York')::date)::timestamp at time zone 'America/New_York')
                ) then (mine.closes ->> t.symbol)::numeric
              end as last_close
            from
              mine
              join trades t on t.account_id = mine.id
              cross join lateral (
                select
                  t.entry_at < (((now() at time zone 'America/New_York')::date)::timestamp at time zone 'America/New_York') as was_held
              ) o
            where
              t.status = 'CLOSED'
              and t.exit_at >= (((now() at time zone 'America/New_York')::date)::timestamp at time zone 'America/New_York')
          ) t
        group by
          account_id,
          symbol,
          side,
          last_close
      ) c
  ) as "closedToday",
  coalesce(array_agg(id::text), '{}') as "accountIds",
  (
    sum(equity) filter (
      where
        day_start is not null
    )
  )::text as "equityToday",
  sum(day_start)::text as "dayStartEquity",
  count(*)::int as accounts,
  (
    select
      count(*)::int
    from
      positions
    where
      account_id in (
        select
          id
        from
          mine
      )
  ) as "openPositions",
  (
    select
      count(*)::int
    from
      orders
    where
      account_id in (
        select
          id
        from
          mine
      )
      and end_acknowledged_at is null
      and status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED')
  ) as "openOrders",
  (
    select
      count(*)::int
    from
      signals
    where
      user_id = $3
      and status = 'pending'
      and account_id in (
        select
          id
        from
          mine
      )
  ) as "pendingSignals",
  (
    select
      count(*)::int
    from
      signals
    where
      user_id = $4
      and status = 'scheduled'
      and account_id in (
        select
          id
        from
          mine
      )
  ) as "scheduledSignals",
  (
    select
      count(*)::int
    from
      signals s
    where
      s.user_id = $5
      and s.status = 'executed'
      and s.accepted_at >= (((now() at time zone 'America/New_York')::date)::timestamp at time zone 'America/New_York')
      and s.accepted_at < (((now() at time zone 'America/New_York')::date + 1)::timestamp at time zone 'America/New_York')
      and s.account_id in (
        select
          id
        from
          mine
      )
  ) as "executedToday",
  (
    select
      count(*)::int
    from
      signals s
    where
      s.user_id = $6
      and s.status in ('rejected', 'error')
      and is_refused (s)
      and s.accepted_at >= (((now() at time zone 'America/New_York')::date)::timestamp at time zone 'America/New_York')
      and s.accepted_at < (((now() at time zone 'America/New_York')::date + 1)::timestamp at time zone 'America/New_York')
      and s.account_id in (
        select
          id
        from
          mine
      )
  ) as "refusedToday",
  min(last_synced_at) as "asOf"
from
  mine;
