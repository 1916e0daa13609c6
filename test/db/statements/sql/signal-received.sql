-- insertIfStorable sends (written by npm run docs):

select
  extract(
    epoch
    from
      clock_timestamp()
  )::float8 * 1000 as now;

select
  not_later_than ($1::numeric::float8) as now;
