-- readEntryFacts sends (written by npm run docs):

select
  a.is_active,
  a.is_demo,
  a.permissions,
  a.last_synced_at as permissions_at,
  u.trading_mode,
  case
    when exists (
      select
      from
        users u
      where
        u.id = s.user_id
        and u.disabled_at is not null
    ) then 'USER_DISABLED'
    when s.token_id is not null
    and not (s.decided_by is not null)
    and not exists (
      select
      from
        access_tokens t
        join users u on u.id = t.user_id
      where
        t.id = s.token_id
        and t.user_id = s.user_id
        and t.revoked_at is null
        and (
          t.expires_at is null
          or t.expires_at > now()
        )
        and case
          when s.ask is null then 'signals:write'
          else 'orders:write'
        end = any (t.scopes)
        and (
          t.kind = 'desktop'
          or u.plan in ('PRO')
        )
    ) then 'SENDER_REVOKED'
  end as sender,
  coalesce(
    (
      select
        t.bounds
      from
        access_tokens t
      where
        t.id = s.token_id
        and not (s.decided_by is not null)
    ),
    '{}'
  ) as bounds,
  strategy.status as strategy_status,
  json_build_object(
    'account',
    a.flat_by_close,
    'strategy',
    strategy.flat_by_close,
    'hook',
    (
      select
        nullif(h.settings -> 'flatByClose', 'null')
      from
        hooks h
      where
        h.id = s.token_id
    )
  ) as flat_by_close,
  (
    select
      json_agg(
        json_build_object(
          'id',
          e.id,
          'action',
          e.action,
          'orderType',
          e.order_type,
          'timeInForce',
          e.time_in_force,
          'status',
          e.status,
          'target',
          e.target
        )
        order by
          e.queued_at,
          e.sequence
      )
    from
      (
        select
          id,
          action,
          order_type,
          time_in_force,
          status,
          target,
          queued_at,
          sequence
        from
          signals
        where
          account_id = s.account_id
          and symbol = s.symbol
          and entry_ended_at is null
          and status in ('scheduled', 'queued', 'transmitted', 'executed')
        union all
        select
          id,
          action,
          order_type,
          time_in_force,
          status,
          target,
          queued_at,
          sequence
        from
          signals
        where
          account_id = s.account_id
          and symbol = s.symbol
          and entry_ended_at is not null
          and status in ('queued', 'transmitted', 'executed')
          and (
            target is not null
            and closings = 0
            and (
              action = 'closeLong'
              and (target ->> 'position')::numeric < 0
              or action = 'closeShort'
              and (target ->> 'position')::numeric > 0
            )
          )
      ) e
    where
      (e.queued_at, e.sequence) < (coalesce(s.queued_at, 'infinity'), s.sequence)
  ) as earlier,
  (
    select
      json_agg(
        json_build_object(
          'clientOrderId',
          o.client_order_id,
          'brokerOrderId',
          o.broker_order_id,
          'signalId',
          case
            when o.role <> 'manual' then o.signal_id
          end,
          'role',
          o.role,
          'symbol',
          o.symbol,
          'side',
          o.side,
          'open',
          trim_scale(o.quantity - o.filled_quantity)::text,
          'orderType',
          o.order_type,
          'limitPrice',
          trim_scale(o.limit_price)::text,
          'stopPrice',
          trim_scale(o.stop_price)::text,
          'timeInForce',
          o.time_in_force,
          'knownAt',
          o.created_at,
          'reservedLots',
          '[]'::json,
          'isFilling',
          o.filled_quantity > 0
          and o.updated_at > now() - interval '10 seconds',
          'hasStop',
          coalesce(
            (
              select
                coalesce(nullif(p.protection -> 'stop', 'null'), nullif(p.protection -> 'trail', 'null')) is not null
              from
                signals p
              where
                p.id = o.signal_id
            ),
            false
          )
        )
        order by
          o.created_at,
          o.id
      )
    from
      orders o
    where
      o.account_id = s.account_id
      and o.symbol = s.symbol
      and o.end_acknowledged_at is null
      and o.status in ('OPEN', 'PARTIALLY_FILLED')
      and o.broker_order_id is not null
  ) as working,
  (
    select
      json_build_object(
        'settings',
        coalesce(settings.limits, '{}'),
        'halt',
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
                and h.user_id = s.user_id
              )
              or (
                h.scope = 'account'
                and h.account_id = s.account_id
              )
            )
          order by
            array_position(array['pauseEntries', 'reduceOnly', 'fullStop'], h.level) desc
          limit
            1
        ),
        'equity',
        account.equity::text,
        'equityRecord',
        account.equity_record,
        'dayStartEquity',
        day_start.equity::text,
        'ordersThisMinute',
        case
          when rate.minute = date_trunc('minute', now()) then rate.minute_count
          else 0
        end,
        'ordersToday',
        case
          when rate.day = (now() at time zone 'America/New_York')::date then rate.day_count
          else 0
        end,
        'heldQuantity',
        coalesce(held.quantity, 0)::text,
        'workingQuantity',
        (
          coalesce(
            (
              select
                sum(o.quantity - o.filled_quantity)
              from
                orders o
              where
                o.account_id = s.account_id
                and o.end_acknowledged_at is null
                and o.symbol = s.symbol
                and o.id is distinct from s.order_id
                and o.side = case s.action
                  when 'openLong' then 'BUY'
                  when 'openShort' then 'SELL_SHORT'
                end
                and o.status in ('PENDING', 'OPEN', 'PARTIALLY_FILLED')
                -- One by hand counts from its decision on, and with what was decided.
                and (
                  o.broker_order_id is not null
                  or exists (
                    select
                    from
                      signals h
                    where
                      h.id = o.signal_id
                      and h.decisions -> 'entry' ->> 'outcome' = 'ready'
                  )
                )
            ),
            0
          ) + coalesce(
            (
              select
                sum((e.decisions -> 'entry' ->> 'quantity')::numeric)
              from
                signals e
              where
                e.account_id = s.account_id
                and e.symbol = s.symbol
                and e.entry_ended_at is null
                and e.id <> s.id
                and e.action = s.action
                and e.status in ('queued', 'transmitted')
                and e.decisions -> 'entry' ->> 'outcome' = 'ready'
                and not exists (
                  select
                  from
                    orders o
                  where
                    o.signal_id = e.id
                    and o.role <> 'exit'
                )
            ),
            0
          ) + coalesce(
            (
              select
                sum(o.filled_quantity)
              from
                orders o
              where
                o.account_id = s.account_id
                and o.symbol = s.symbol
                and o.side = case s.action
                  when 'openLong' then 'BUY'
                  when 'openShort' then 'SELL_SHORT'
                end
                and o.updated_at > coalesce(account.last_synced_at - interval '15000 milliseconds', '-infinity')
                and o.filled_at > coalesce(account.last_synced_at - interval '15000 milliseconds' - interval '30 seconds', '-infinity')
            ),
            0
          )
        )::text,
        'secondsSinceTwin',
        (
          select
            extract(
              epoch
              from
                s.accepted_at - max(twin.accepted_at)
            )::float
          from
            signals twin
          where
            twin.account_id = s.account_id
            and twin.accepted_at >= s.accepted_at - make_interval(
              secs => case
                when settings.limits -> 'duplicateWindowSeconds' is null then 2
                else (settings.limits ->> 'duplicateWindowSeconds')::float
              end
            )
            and (twin.accepted_at, twin.id) < (s.accepted_at, s.id)
            and twin.origin <> 'adopted'
            and twin.symbol = s.symbol
            and (twin.ask ->> 'side') is not distinct from (s.ask ->> 'side')
            and (
              s.ask is not null
              or twin.action = s.action
            )
            and s.ask ->> 'reducesOnly' is distinct from 'true'
            and twin.ask ->> 'reducesOnly' is distinct from 'true'
            and twin.quantity = s.quantity
            and twin.quantity_type = s.quantity_type
            and twin.order_type = s.order_type
            and twin.limit_price is not distinct from s.limit_price
            and twin.stop_price is not distinct from s.stop_price
            and (
              twin.status not in ('rejected', 'cancelled', 'error')
              or twin.ask is not null
              and twin.status = 'cancelled'
            )
            and twin.target is null
            and (
              (
                twin.source_id is null
                and not exists (
                  select
                  from
                    requests r
                  where
                    r.id = twin.id
                )
              )
              or (
                s.source_id is null
                and not exists (
                  select
                  from
                    requests r
                  where
                    r.id = s.id
                )
              )
            )
        )
      )
    from
      accounts account
      left join risk_settings settings on settings.account_id = account.id
      left join account_day_starts day_start on day_start.account_id = account.id
      and day_start.day = (now() at time zone 'America/New_York')::date
      left join order_rates rate on rate.account_id = account.id
      and not rate.reducing
      left join positions held on held.account_id = account.id
      and held.symbol = s.symbol
      and held.side = case s.action
        when 'openLong' then 'LONG'
        when 'openShort' then 'SHORT'
      end
    where
      account.id = s.account_id
  ) as risk,
  s.action,
  s.ask,
  s.decisions -> 'entry' as entry_decision,
  s.protection,
  s.token_id is null
  and s.ask is not null as by_person,
  (
    select
      json_build_object(
        'symbol',
        o.symbol,
        'side',
        o.side,
        'orderType',
        o.order_type,
        'quantity',
        trim_scale(o.quantity)::text,
        'limitPrice',
        trim_scale(o.limit_price)::text,
        'stopPrice',
        trim_scale(o.stop_price)::text,
        'sentAt',
        o.submitted_at
      )
    from
      orders o
    where
      o.client_order_id = s.id || '-e1'
      and o.account_id = s.account_id
      and o.broker_order_id is not null
  ) as sent,
  case
    when s.status in ('rejected', 'cancelled', 'error')
    and s.order_id is null then json_build_object('status', s.status, 'reason', s.status_reason, 'detail', s.status_detail)
  end as ended,
  s.sequencing_until,
  s.decisions ->> 'priceBeforeApproval' as price_before_approval,
  case
    when s.decided_by is not null then json_build_object(
      'by',
      s.decided_by,
      'at',
      s.decided_at,
      'asSent',
      coalesce(
        s.decisions -> 'asSent',
        jsonb_build_object('quantity', trim_scale(s.quantity)::text, 'limitPrice', trim_scale(s.limit_price)::text)
      ),
      'refusals',
      coalesce((s.approval_refused ->> 'count')::integer, 0)
    )
  end as approval,
  now() as as_of,
  coalesce(s.sequencing_until, s.updated_at) as due_since
from
  signals s
  join accounts a on a.id = s.account_id
  join users u on u.id = s.user_id
  left join strategies strategy on strategy.id = s.strategy_id
  and strategy.user_id = s.user_id
where
  s.id = $1;
