-- insertManualOrders sends (written by npm run docs):

with
  keyed as (
    insert into
      idempotent_requests (user_id, key, request_hash)
    select
      $1::uuid,
      $2::text,
      $3::text
    where
      $4::text is not null
    on conflict do nothing
    returning
      key
  ),
  asked as (
    select
      *
    from
      jsonb_to_recordset($5::jsonb) as r (
        "orderId" uuid,
        "accountId" uuid,
        symbol text,
        side text,
        quantity numeric,
        "orderType" text,
        "limitPrice" numeric,
        "stopPrice" numeric,
        "timeInForce" text,
        "extendedHours" boolean,
        "reducesOnly" boolean,
        owners jsonb,
        "acceptedAt" timestamptz,
        "sendBefore" timestamptz,
        "clientOrderId" text,
        received jsonb
      )
    where
      $6::text is null
      or exists (
        select
        from
          keyed
      )
  ),
  placed as (
    insert into
      orders (
        id,
        user_id,
        account_id,
        role,
        client_order_id,
        symbol,
        side,
        order_type,
        quantity,
        limit_price,
        stop_price,
        time_in_force,
        extended_hours,
        status,
        submitted_at,
        created_at
      )
    select
      "orderId",
      $7::uuid,
      "accountId",
      'manual',
      "clientOrderId",
      symbol,
      side,
      "orderType",
      quantity,
      "limitPrice",
      "stopPrice",
      "timeInForce",
      "extendedHours",
      'PENDING',
      "acceptedAt",
      "acceptedAt"
    from
      asked
    returning
      id
  ),
  noted as (
    insert into
      manual_orders (
        order_id,
        user_id,
        asked_side,
        asked_quantity,
        reduces_only,
        owners,
        request_key,
        send_before,
        created_at,
        token_id
      )
    select
      "orderId",
      $8::uuid,
      side,
      quantity,
      "reducesOnly",
      owners,
      $9::text,
      "sendBefore",
      "acceptedAt",
      (received -> 'data' ->> 'tokenId')::uuid
    from
      asked
  ),
  told as (
    insert into
      order_events (user_id, order_id, key, kind, at, message, data)
    select
      $10::uuid,
      "orderId",
      received ->> 'key',
      received ->> 'kind',
      (received ->> 'at')::timestamptz,
      received ->> 'message',
      received -> 'data'
    from
      asked
  )
select
  id
from
  placed;
