// oxlint-disable-next-line typescript/no-explicit-any -- a subject takes from it what its next request needs
export type Body = any

/** Lists that come in an order of chance, and the field by which they are recorded. */
export interface SortedLists {
  lists: readonly string[]
  by: string
}

/**
 * An answer without what is chance in it. Whether the broker's news that an order works comes before that of its fill is: such
 * events are left out and not counted. So is whether the price of an exit plan was asked for while its orders were changed.
 */
export const withoutChance = (answer: string, { lists, by }: SortedLists): Body =>
  JSON.parse(answer, (key, value: Body) => {
    if (Array.isArray(value?.events) && typeof value.total === 'number') {
      const events = value.events.filter((event: Body) => !isNewsOfWorking(event))
      return { ...value, events, total: value.total - (value.events.length - events.length) }
    }
    if (key === 'price' && value?.at !== undefined) return null
    const isSorted = lists.includes(key) && Array.isArray(value)
    return isSorted ? value.toSorted((one, other) => numberIn(one, by) - numberIn(other, by)) : value
  })

const isNewsOfWorking = ({ kind, data }: Body): boolean =>
  kind === 'order_progress' && data?.status === 'OPEN'

const numberIn = (row: Body, field: string): number => Number((row.signal ?? row)[field] ?? 0)
