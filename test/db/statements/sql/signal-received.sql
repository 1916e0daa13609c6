-- storeSignals sends (written by npm run docs):

with
  room as materialized (
    select
      may_wait ($1::uuid, $2::int4::integer) as found,
      null::uuid as repeats
    from
      (
        select
          pg_advisory_xact_lock(hashtextextended ($3::text || ' ' || $4::text, 0))
      ) as turn
    where
      exists (
        select
        from
          accounts
        where
          id = $5::uuid
          and user_id = $6::uuid
          and is_demo = coalesce($7::boolean::boolean, is_demo)
      )
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
        protection,
        metadata,
        target,
        manages,
        origin,
        group_id,
        advisories,
        status,
        accepted_at,
        send_before,
        token_id,
        sent_by,
        queued_at
      )
    select
      $8,
      $9,
      $10,
      null,
      null,
      $11,
      $12,
      $13,
      $14,
      $15,
      $16,
      $17,
      null,
      null,
      $18,
      null,
      $19::boolean,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      $20,
      null,
      $21,
      $22,
      $23,
      null,
      null,
      coalesce(
        (
          select
            case kind
              when 'hook' then 'hook '
              else 'token '
            end || to_json(label)::text
          from
            access_tokens
          where
            id = null::uuid
            and user_id = $24::uuid
        ),
        (
          select
            email
          from
            users
          where
            id = $25::uuid
        )
      ),
      case
        when $26::text <> 'pending' then greatest(null::timestamptz, clock_timestamp())
      end
    from
      room
    where
      found
      and repeats is null
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
      $27,
      $28,
      $29::timestamptz,
      $30,
      null::jsonb
    from
      accepted
  ),
  kept as (
    insert into
      signal_sources (signal_id, user_id, body)
    select
      id,
      $31::uuid,
      source
    from
      accepted,
      (
        select
          null::text as source
      ) given
    where
      source is not null
  )
select
  (
    select
      id
    from
      accepted
  ) as id,
  found as room,
  repeats
from
  room;
