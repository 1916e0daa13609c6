import { NYSE_ZONE } from '#domain/calendar/nyse.ts'

/** The day of the exchange at an instant, as an SQL expression. */
export const exchangeDaySql = (instant: string): string => `(${instant} at time zone '${NYSE_ZONE}')::date`

/** The instant at which a day of the exchange begins, as an SQL expression. */
export const exchangeMidnightSql = (day: string): string =>
  `((${day})::timestamp at time zone '${NYSE_ZONE}')`

/** The instant at which the present day of the exchange begins, as an SQL expression. */
export const TODAY_SQL = exchangeMidnightSql(exchangeDaySql('now()'))

/** The time of day in New York, as an SQL expression. */
const EXCHANGE_TIME = `(now() at time zone '${NYSE_ZONE}')::time`

/**
 * Notes the balances that an account has now as those with which its day began, unless that is noted already, and the last closes
 * of the symbols that it holds: shares that are sold later today count from these. Some brokers tell the close of the day before
 * late in the morning, and some that of today once it is over: what is told before noon counts. Part of every sync, so that a
 * service that runs sees each day begin. Parameters: the closes as JSON, by symbol, and the account's id.
 */
export const RECORD_DAY_START = `
  insert into account_day_starts as noted (account_id, day, equity, cash_balance, closes)
  select id, ${exchangeDaySql('now()')}, equity, cash_balance, ?::jsonb from accounts where id = ?
  on conflict (account_id, day) do update set closes = case when ${EXCHANGE_TIME} < '12:00'
    then noted.closes || excluded.closes else excluded.closes || noted.closes end
  where not noted.closes @> excluded.closes`

/** Market data tells the close before the session of today, and not before an older one. */
export const SESSION_HAS_BEGUN = `${EXCHANGE_TIME} >= '10:00'`
