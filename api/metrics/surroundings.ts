import { Gauge, type Registry } from 'prom-client'
import type { Surroundings } from './look-around.ts'

export function surroundingsGauges(registry: Registry): (surroundings: Surroundings) => void {
  const registers = [registry]
  const gauge = (name: string, help: string, labelNames: string[] = []): Gauge =>
    new Gauge({ name: `durable_trader_${name}`, help, labelNames, registers })
  const temporal = gauge('temporal_up', 'Whether Temporal answered this process within a second')
  const connections = gauge(
    'database_connections',
    'Connections of a pool that are used and idle, and statements that are waiting for one',
    ['pool', 'state'],
  )
  const limits = gauge('database_connections_limit', 'Connections of a pool at most', ['pool'])
  const requests = gauge(
    'work_requests',
    'Requests that are under way and waiting for their turn, by kind of work; signals that are stored and sent are entries too',
    ['kind', 'state'],
  )
  const streams = gauge('event_streams', 'Event streams that are open')
  const free = gauge('disk_free_bytes', 'Room on the disk of the data folder')
  const size = gauge('disk_size_bytes', 'Size of the disk of the data folder')
  const clock = gauge(
    'database_clock_difference_seconds',
    'By how much the clock of PostgreSQL differs from that of this process',
  )
  // Without a label a gauge would show 0 before it is known.
  for (const each of [free, size, clock]) each.remove()
  return ({ isTemporalUp, pools, work, openStreams, disk, clockDifference }) => {
    temporal.set(isTemporalUp ? 1 : 0)
    for (const [pool, { limit, ...states }] of Object.entries(pools)) {
      limits.set({ pool }, limit)
      for (const [state, count] of Object.entries(states)) connections.set({ pool, state }, count)
    }
    for (const [kind, { underWay, waiting }] of Object.entries(work)) {
      requests.set({ kind, state: 'under_way' }, underWay)
      requests.set({ kind, state: 'waiting' }, waiting)
    }
    streams.set(openStreams)
    setOrRemove(free, disk?.freeBytes)
    setOrRemove(size, disk?.sizeBytes)
    setOrRemove(clock, clockDifference ?? undefined)
  }
}

function setOrRemove(gauge: Gauge, value: number | undefined): void {
  if (value === undefined) gauge.remove()
  else gauge.set(value)
}
