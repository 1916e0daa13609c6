-- recordReplaced sends (written by npm run docs):

begin;

select
  pg_advisory_xact_lock(hashtextextended ($1::text || ' ' || $2::text, 0));

with
  changed as (
    update signals
    set
      status = $1,
      status_reason = case
        when decisions #> '{entry,stopped}' is not null
        and status = 'cancelled' then status_reason
        else $2
      end,
      status_detail = case
        when decisions #> '{entry,stopped}' is not null
        and status = 'cancelled' then status_detail
        else $3
      end,
      exit_status = case
        when exit_rule is null then null
        else 'cancelled'
      end,
      decisions = decisions || jsonb_build_object($4::text, $5::jsonb),
      workflow_started_at = coalesce(workflow_started_at, now()),
      updated_at = now()
    where
      id = $6
      and status in ($7, $8, $9, $10, $11, $12)
      and (
        decisions -> $13::text -> 'stopped' is not null
        or (
          decisions -> $14::text is null
          or decisions -> $15::text ->> 'outcome' = 'held'
        )
        and not exists (
          select
          from
            orders o
          where
            o.client_order_id = signals.id || '-e1'
        )
      )
    returning
      id,
      user_id,
      account_id,
      time_in_force,
      expires_at,
      true as forward,
      true as further
  ),
  told0 as (
    insert into
      signal_events (signal_id, key, kind, at, message, data)
    select
      id,
      $16,
      $17,
      greatest(
        $18::timestamptz,
        (
          select
            at
          from
            signal_events
          where
            signal_id = changed.id
            and key = 'received'
        )
      ),
      $19,
      $20::jsonb
    from
      changed
    on conflict (signal_id, key) do nothing
    returning
      key
  )
select
  account_id,
  1 as placed,
  false as acknowledged
from
  changed;

with
  room as materialized (
    select
      true as found,
      null::uuid as repeats
    from
      (
        select
          pg_advisory_xact_lock(hashtextextended ($1::text || ' ' || $2::text, 0))
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
        protection,
        metadata,
        target,
        group_id,
        advisories,
        status,
        accepted_at,
        send_before,
        token_id,
        sent_by,
        turn_at
      )
    select
      $3,
      $4,
      $5,
      null,
      null,
      $6,
      $7,
      $8,
      $9,
      $10,
      $11,
      $12,
      null,
      null,
      $13,
      null,
      $14::boolean,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      null,
      $15,
      $16,
      $17,
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
            and user_id = $18::uuid
        ),
        (
          select
            email
          from
            users
          where
            id = $19::uuid
        )
      ),
      case
        when $20::text <> 'pending' then greatest(null::timestamptz, clock_timestamp())
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
      $21,
      $22,
      $23::timestamptz,
      $24,
      null::jsonb
    from
      accepted
  ),
  kept as (
    insert into
      signal_sources (signal_id, user_id, body)
    select
      id,
      $25::uuid,
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

commit;
