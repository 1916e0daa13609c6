import { NYSE_ZONE } from '#domain/time/nyse.ts'

export const exchangeDaySql = (instant: string): string => `(${instant} at time zone '${NYSE_ZONE}')::date`

export const exchangeMidnightSql = (day: string): string =>
  `((${day})::timestamp at time zone '${NYSE_ZONE}')`

export const TODAY_SQL = exchangeMidnightSql(exchangeDaySql('now()'))

const EXCHANGE_TIME = `(now() at time zone '${NYSE_ZONE}')::time`

/** Closes from before noon win: brokers change them at different times. Parameters: closes by symbol, account. */
export const RECORD_DAY_START = `
  insert into account_day_starts as noted (account_id, day, equity, cash_balance, closes)
  select id, ${exchangeDaySql('now()')}, equity, cash_balance, ?::jsonb from accounts where id = ?
  on conflict (account_id, day) do update set closes = case when ${EXCHANGE_TIME} < '12:00'
    then noted.closes || excluded.closes else excluded.closes || noted.closes end
  where not noted.closes @> excluded.closes`

/** Market data has the previous close from then on. */
export const SESSION_HAS_BEGUN = `${EXCHANGE_TIME} >= '10:00'`
