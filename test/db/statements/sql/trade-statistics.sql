-- readTradeStatistics sends (written by npm run docs):

with
  closed as materialized (
    select
      t.id,
      t.symbol,
      t.strategy_id,
      t.entry_at,
      t.exit_at,
      t.realised_pnl,
      t.fees,
      t.exit_fees,
      case
        when o.id is null then 'elsewhere'
        when o.role = 'manual' then 'person'
        when o.role <> 'exit'
        or o.signal_id is distinct from t.signal_id then 'signal'
        when o.client_order_id ~ '-t[0-9]+$' then 'limit'
        when o.client_order_id ~ '-p[0-9]+$' then case
          when o.order_type in ('limit', 'stopLimit') then o.order_type
          when o.order_type = 'oco'
          and (t.exit_price - o.limit_price) * case t.side
            when 'LONG' then 1
            else -1
          end >= 0 then 'limit'
          else 'stop'
        end
        when s.exit_rule is null then 'stop'
        when s.exit_rule ->> 'orderType' in ('limit', 'stop', 'stopLimit') then s.exit_rule ->> 'orderType'
        else 'time'
      end as way,
      (
        case
          when o.order_type in ('stop', 'stopLimit') then case
            when not exists (
              select
              from
                order_broker_ids b
              where
                b.order_id = o.id
                and b.broker_order_id <> o.broker_order_id
            ) then o.stop_price
          end
          when o.order_type = 'market'
          and o.role = 'exit'
          and o.time_in_force not in ('opg', 'cls')
          and o.acknowledged_at < (
            s.decisions -> (
              'exit-' || substring(
                o.client_order_id
                from
                  '[0-9]+$'
              )
            ) ->> 'sizedAt'
          )::timestamptz + interval '5 seconds' then (
            s.decisions -> (
              'exit-' || substring(
                o.client_order_id
                from
                  '[0-9]+$'
              )
            ) ->> 'price'
          )::numeric
        end - t.exit_price
      ) * t.quantity * case t.side
        when 'LONG' then 1
        else -1
      end as slippage
    from
      (
        select
          *
        from
          trades
        where
          status = 'CLOSED'
          and user_id = $1
          and account_id in (
            select
              id
            from
              accounts
            where
              user_id = $2
              and is_demo = $3::boolean
          )
          and exit_at >= (($4::date)::timestamp at time zone 'America/New_York')
      ) t
      left join orders o on o.id = t.exit_order_ids[1]
      left join signals s on s.id = o.signal_id
  ),
  summed as (
    select
      id,
      exit_at,
      row_number() over (
        order by
          exit_at,
          id
      ) as n,
      sum(realised_pnl) over (
        order by
          exit_at,
          id
      ) as total
    from
      closed
  ),
  fallen as materialized (
    select
      n,
      exit_at,
      total,
      greatest(
        max(total) over (
          order by
            n
        ),
        0
      ) - total as fall,
      (n - 1) * 165 / count(*) over () as part,
      count(*) over () as of_all
    from
      summed
  ),
  kept as (
    select
      n
    from
      fallen
    where
      n = 1
      or n = of_all
    union
    select
      *
    from
      (
        select distinct
          on (part) n
        from
          fallen
        order by
          part,
          total,
          n
      ) low
    union
    select
      *
    from
      (
        select distinct
          on (part) n
        from
          fallen
        order by
          part,
          total desc,
          n
      ) high
    union
    select
      *
    from
      (
        select distinct
          on (part) n
        from
          fallen
        order by
          part,
          fall desc,
          n
      ) deep
  )
select
  (
    select
      row_to_json(f)
    from
      (
        select
          null as key,
          count(*)::int as trades,
          (
            count(*) filter (
              where
                realised_pnl > 0
            )
          )::int as wins,
          (
            count(*) filter (
              where
                realised_pnl < 0
            )
          )::int as losses,
          coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
          coalesce(
            sum(realised_pnl) filter (
              where
                realised_pnl > 0
            ),
            0
          )::text as won,
          coalesce(
            - sum(realised_pnl) filter (
              where
                realised_pnl < 0
            ),
            0
          )::text as lost,
          coalesce(sum(fees), 0)::text as fees,
          max(realised_pnl)::text as best,
          min(realised_pnl)::text as worst,
          extract(
            epoch
            from
              avg(exit_at - entry_at)
          )::float8 as "averageHold"
        from
          closed
      ) f
  ) as "all",
  (
    select
      coalesce(max(fall), 0)::text
    from
      fallen
  ) as "maxDrawdown",
  (
    select
      coalesce(
        json_agg(
          json_build_object('trade', n, 'at', exit_at, 'total', total::text, 'fall', fall::text)
          order by
            n
        ),
        '[]'
      )
    from
      fallen
    where
      n in (
        select
          n
        from
          kept
      )
  ) as curve,
  json_build_object(
    'strategy',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            strategy_id::text as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold"
          from
            closed
          group by
            1
          order by
            2 desc,
            1
          limit
            100
        ) g
    ),
    'symbol',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            symbol as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold"
          from
            closed
          group by
            1
          order by
            2 desc,
            1
          limit
            100
        ) g
    ),
    'hour',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            extract(
              hour
              from
                entry_at at time zone 'America/New_York'
            )::int::text as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold"
          from
            closed
          group by
            1
          order by
            2 desc,
            1
          limit
            100
        ) g
    ),
    'weekday',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            extract(
              isodow
              from
                entry_at at time zone 'America/New_York'
            )::int::text as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold"
          from
            closed
          group by
            1
          order by
            2 desc,
            1
          limit
            100
        ) g
    ),
    'length',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            width_bucket(
              extract(
                epoch
                from
                  exit_at - entry_at
              ),
              array[300, 1800, 7200, 86400, 432000]
            )::text as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold"
          from
            closed
          group by
            1
          order by
            2 desc,
            1
          limit
            100
        ) g
    ),
    'exit',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            way as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold",
            sum(exit_fees)::text as "exitFees",
            sum(slippage)::text as slippage,
            count(slippage)::int as compared
          from
            closed
          group by
            1
          order by
            2 desc,
            1
          limit
            100
        ) g
    ),
    'day',
    (
      select
        coalesce(
          json_agg(
            g
            order by
              g.key
          ),
          '[]'
        )
      from
        (
          select
            (exit_at at time zone 'America/New_York')::date::text as key,
            count(*)::int as trades,
            (
              count(*) filter (
                where
                  realised_pnl > 0
              )
            )::int as wins,
            (
              count(*) filter (
                where
                  realised_pnl < 0
              )
            )::int as losses,
            coalesce(sum(realised_pnl), 0)::text as "realisedPnl",
            coalesce(
              sum(realised_pnl) filter (
                where
                  realised_pnl > 0
              ),
              0
            )::text as won,
            coalesce(
              - sum(realised_pnl) filter (
                where
                  realised_pnl < 0
              ),
              0
            )::text as lost,
            coalesce(sum(fees), 0)::text as fees,
            max(realised_pnl)::text as best,
            min(realised_pnl)::text as worst,
            extract(
              epoch
              from
                avg(exit_at - entry_at)
            )::float8 as "averageHold"
          from
            closed
          group by
            1
        ) g
    )
  ) as groups;
