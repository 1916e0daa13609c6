import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import type { Quote, Signal } from '#client/types.ts'
import { ask } from '../connection/ask.ts'
import { onNews, type News } from '../connection/live.ts'
import { paced } from '../connection/paced.ts'
import { queries } from '../connection/queries.ts'
import type { Edit } from './decisions.ts'
import type { Check } from './refusal.ts'

/** Milliseconds between two checks of the same card, however much changes. */
const CHECK_PAUSE_MS = 10_000
/** What nothing tells of, such as buying power, is never older than this. */
const CHECK_EVERY_MS = 60_000
/** Percent that the price has to move for a check to be old. */
const MOVE = 0.2
/** Events of the stream after which a check may say something else. */
const CHANGES: ReadonlySet<string> = new Set(['halt', 'order', 'signal', 'user'])

const checkOf = ({ id }: Pick<Signal, 'id'>, { quantity, limitPrice }: Edit) =>
  queryOptions({
    queryKey: ['check', id, quantity ?? '', limitPrice ?? ''],
    queryFn: async (): Promise<Check> => {
      const query = {
        ...(quantity !== undefined && { quantity: Number(quantity) }),
        ...(limitPrice !== undefined && { limitPrice: Number(limitPrice) }),
      }
      return (await ask('GET /api/v1/signals/{id}/check', { path: { id }, query })).body.data
    },
  })

/** Dollars that the last check of a signal told for its orders; null where there was none, or it told none. */
export function checkedCost(id: string): number | null {
  const check = queries.getQueryData(checkOf({ id }, {}).queryKey)
  return check?.cost == null ? null : check.cost + (check.followingCost ?? 0)
}

/** The last check of a signal as it was sent, where there was one; nothing is asked. */
export const useKnownCheck = (signal: Pick<Signal, 'id'>): Check | undefined =>
  useQuery({ ...checkOf(signal, {}), enabled: false }).data

/**
 * Asks the service what approving this signal with these edits would do now, and again when something has changed that it depends
 * on. Nothing is stored or sent. While an edit is being checked, the figures before it stay.
 *
 * @param quote the price of this moment
 */
export function useCheck(signal: Signal, edit: Edit, isWanted: boolean, quote: Quote | undefined) {
  const check = useQuery({
    ...checkOf(signal, edit),
    enabled: isWanted,
    placeholderData: keepPreviousData,
    refetchInterval: CHECK_EVERY_MS,
    retry: false,
  })
  const { refetch } = check
  const again = useRef<() => void>(undefined)
  useEffect(() => {
    if (!isWanted) return undefined
    const checks = paced(() => refetch({ cancelRefetch: false }), CHECK_PAUSE_MS)
    again.current = checks.ask
    const stop = onNews((news) => {
      if (isChange(news, signal)) checks.ask()
    })
    return () => {
      again.current = undefined
      checks.stop()
      stop()
    }
  }, [isWanted, refetch, signal])
  const now = quote?.last ?? null
  const checked = check.data?.quote?.last ?? null
  useEffect(() => {
    if (isFar(now, checked)) again.current?.()
  }, [now, checked])
  return check
}

const isFar = (now: number | null, checked: number | null): boolean =>
  now !== null && checked !== null && Math.abs(now / checked - 1) * 100 >= MOVE

/** Whether what is told of is about the account of the signal, or about all. */
function isChange({ name, data }: News, { accountId }: Signal): boolean {
  const told = data as { accountId?: string | null }
  return CHANGES.has(name) && (told.accountId == null || told.accountId === accountId)
}
