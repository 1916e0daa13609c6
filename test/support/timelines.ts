import { parseClientOrderId, isTerminal, type OrderStatus } from '#domain/order/order.ts'
import type { TimelineKind } from '#domain/signal/timeline.ts'

/** A step of a timeline as it is stored, in the order in which its owner reads it: by its instant. */
export interface StoredStep {
  /** The signal. */
  owner: string
  kind: TimelineKind
  at: string
  data: { clientOrderId?: string; status?: OrderStatus } | null
  /** Its owner has an exit plan, whose stop may close the position without a planned exit. */
  isProtected: boolean
  /** Its owner has no entry. */
  isAdopted?: boolean
}

/** Reads every timeline of a database, as `query` asks it. */
export const ALL_TIMELINES = `
  select signal_id::text as owner, kind, at::text, data, sequence,
         exists (select from signals where id = signal_id and protection is not null) as "isProtected",
         exists (select from signals where id = signal_id and origin = 'adopted') as "isAdopted"
  from signal_events
  order by owner, at, sequence`

const FIRST: readonly TimelineKind[] = ['received', 'placed']
/** What ends a timeline without an order. */
const UNSENT: readonly TimelineKind[] = ['declined', 'not_placed']

/** What is wrong with the order in which timelines tell of things: each kind follows what must precede it. */
export function timelineFaults(steps: readonly StoredStep[]): string[] {
  return [...Map.groupBy(steps, ({ owner }) => owner)].flatMap(([owner, timeline]) =>
    faultsOf(timeline).map(
      (fault) => `${owner}: ${fault}, in ${timeline.map((step) => `${step.at} ${nameOf(step)}`).join(', ')}`,
    ),
  )
}

function faultsOf(timeline: readonly StoredStep[]): string[] {
  const faults: string[] = []
  const acknowledged = new Set<string>()
  const progressed = new Set<string>()
  const ended = new Set<string>()
  timeline.forEach((step, index) => {
    const { kind, data, isProtected, isAdopted } = step
    if (isAdopted) ended.add('entry')
    if (FIRST.includes(kind) !== (index === 0)) faults.push(`${nameOf(step)} comes as number ${index + 1}`)
    if (UNSENT.includes(kind) && acknowledged.size > 0) faults.push(`${kind} follows an order`)
    const order = data?.clientOrderId
    const isEntry = order !== undefined && parseClientOrderId(order)?.role === 'entry'
    if (kind === 'acknowledged' && order !== undefined) {
      const { role, purpose } = parseClientOrderId(order) ?? {}
      if (role === 'exit' && !ended.has('entry'))
        faults.push(`${nameOf(step)} comes before the entry has ended`)
      const isPlanned = timeline.slice(0, index).some((before) => before.kind === 'exit_planned')
      if (purpose === 'timed' && !isProtected && !isPlanned)
        faults.push(`${nameOf(step)} comes before an exit is planned`)
      acknowledged.add(order)
    }
    if (kind === 'order_progress' && order !== undefined) {
      if (!acknowledged.has(order)) faults.push(`${nameOf(step)} comes before its acknowledgement`)
      if (data?.status === 'OPEN' && progressed.has(order))
        faults.push(`${nameOf(step)} follows other progress`)
      progressed.add(order)
      if (data?.status !== undefined && isTerminal(data.status)) ended.add(isEntry ? 'entry' : order)
    }
    if (kind === 'exit_planned' && !ended.has('entry'))
      faults.push('the exit is planned before the entry has ended')
    if (kind === 'closed' && [...acknowledged].some((id) => !progressed.has(id)))
      faults.push('closed comes before the end of an order')
  })
  return faults
}

const nameOf = ({ kind, data }: StoredStep): string =>
  [kind, data?.status, data?.clientOrderId?.slice(-2)].filter(Boolean).join(' ')
