-- readPerformanceRecords sends (written by npm run docs):

select
  a.id as "accountId",
  a.name,
  (
    select
      json_agg(
        json_build_object('date', s.date::text, 'equity', s.equity::text)
        order by
          s.date
      )
    from
      balance_snapshots s
    where
      s.account_id = a.id
      and s.date >= coalesce(
        (
          select
            max(date)
          from
            balance_snapshots
          where
            account_id = a.id
            and date <= $1::date
        ),
        '-infinity'
      )
  ) as days,
  (
    select
      json_agg(
        json_build_object(
          'id',
          t.id,
          'symbol',
          t.symbol,
          'side',
          t.side,
          'realisedPnl',
          t.realised_pnl::text,
          'exitAt',
          t.exit_at
        )
        order by
          t.exit_at,
          t.id
      )
    from
      trades t
    where
      t.account_id = a.id
      and t.user_id = a.user_id
      and t.status = 'CLOSED'
      and t.exit_at >= coalesce((($2::date + 1)::timestamp at time zone 'America/New_York'), '-infinity')
  ) as trades
from
  accounts a
where
  a.user_id = $3
  and a.is_demo = $4::boolean
  and a.is_active
order by
  a.is_primary desc,
  a.name,
  a.id;
