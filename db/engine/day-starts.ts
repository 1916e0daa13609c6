import { NYSE_ZONE } from '#domain/calendar/nyse.ts'

/** The day of the exchange at an instant, as an SQL expression. */
export const exchangeDaySql = (instant: string): string => `(${instant} at time zone '${NYSE_ZONE}')::date`

/** The instant at which a day of the exchange begins, as an SQL expression. */
export const exchangeMidnightSql = (day: string): string =>
  `((${day})::timestamp at time zone '${NYSE_ZONE}')`

/** The instant at which the present day of the exchange begins, as an SQL expression. */
export const TODAY_SQL = exchangeMidnightSql(exchangeDaySql('now()'))

/**
 * Notes the balances that an account has now as those with which its day began, unless that is noted already.
 * Parameter: the account's id. Part of every sync, so that a service that runs sees each day begin.
 */
export const RECORD_DAY_START = `
  insert into account_day_starts (account_id, day, equity, cash_balance)
  select id, ${exchangeDaySql('now()')}, equity, cash_balance from accounts where id = ?
  on conflict (account_id, day) do nothing`
