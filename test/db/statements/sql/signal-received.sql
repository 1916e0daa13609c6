-- insertWaitingSignal sends (written by npm run docs):

with
  room as materialized (
    select
      may_wait ($1::uuid, $2::int4::integer) as found
    from
      (
        select
          pg_advisory_xact_lock(hashtextextended ($3::text || ' ' || $4::text, 0))
      ) as turn
  ),
  accepted as (
    insert into
      signals (
        id,
        user_id,
        account_id,
        strategy_id,
        source_id,
        payload_hash,
        symbol,
        action,
        quantity,
        quantity_type,
        execute_mode,
        order_type,
        limit_price,
        stop_price,
        time_in_force,
        expires_at,
        extended_hours,
        scheduled_at,
        valid_until,
        timezone,
        exit_rule,
        metadata,
        advisories,
        status,
        accepted_at,
        send_before
      )
    select
      $5,
      $6,
      $7,
      null,
      null,
      $8,
      $9,
      $10,
      $11,
      $12,
      $13,
      $14,
      null,
      null,
      $15,
      null,
      $16::boolean,
      null,
      null,
      null,
      null,
      null,
      $17,
      $18,
      $19,
      null
    from
      room
    where
      found
      -- By its sourceId; or by its id, when a replacement is stored again that was stored before and has ended.
    on conflict do nothing
    returning
      id
  ),
  told as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $20,
      $21,
      $22::timestamptz,
      $23,
      null::jsonb
    from
      accepted
  )
select
  (
    select
      id
    from
      accepted
  ) as id,
  found as room
from
  room;
