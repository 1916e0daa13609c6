-- listOrders sends (written by npm run docs):

select
  l.*,
  concat_ws(
    ' ',
    (
      extract(
        epoch
        from
          l."created_at"
      ) * 1000000
    )::bigint,
    l."id"
  ) as list_key
from
  (
    select
      "e"."id",
      "e"."user_id",
      "e"."account_id",
      "e"."signal_id",
      "e"."role",
      "e"."client_order_id",
      "e"."broker_order_id",
      "e"."symbol",
      "e"."side",
      "e"."order_type",
      "e"."quantity",
      "e"."limit_price",
      "e"."stop_price",
      "e"."stop_limit_price",
      "e"."trail",
      "e"."time_in_force",
      "e"."expires_at",
      "e"."extended_hours",
      "e"."status",
      "e"."filled_quantity",
      "e"."avg_fill_price",
      "e"."reason",
      "e"."sent_at",
      "e"."acknowledged_at",
      "e"."submitted_at",
      "e"."filled_at",
      "e"."ended_at",
      "e"."end_acknowledged_at",
      "e"."revision",
      "e"."created_at",
      "e"."updated_at"
    from
      "orders" as "e"
    where
      "e"."user_id" = $1
  ) l
where
  (l."created_at", l."id") < ($2::timestamptz, $3::uuid)
order by
  l."created_at" desc,
  l."id" desc
limit
  $4::int4
offset
  $5::int4;
