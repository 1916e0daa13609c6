import { isClockDoubted, medianOf } from '#domain/broker-clock.ts'
import type { Broker } from './port.ts'

/** How many times a clock is read of which one reading says that it differs. */
const CLOCK_READINGS = 3

/**
 * Milliseconds by which the broker's clock is ahead of ours, below zero where it is behind, to half of the time that asking
 * takes: the median of several readings where the first one differs by a second or more. Throws as {@link Broker.getClock}.
 */
export async function readClockOffset(broker: Pick<Broker, 'getClock'>, now: () => number): Promise<number> {
  const offsets: number[] = []
  do {
    const asked = now()
    const clock = await broker.getClock()
    offsets.push(Date.parse(clock.now) - (asked + now()) / 2)
  } while (isClockDoubted(offsets[0]!) && offsets.length < CLOCK_READINGS)
  return Math.round(medianOf(offsets))
}
