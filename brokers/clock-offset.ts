import { isClockDoubted, medianOf } from '#domain/time/broker-clock.ts'
import type { Broker } from './port.ts'

const CLOCK_READINGS = 3

/** Milliseconds that the broker's clock is ahead, to half of the request's time. Throws as {@link Broker.getClock}. */
export async function readClockOffset(broker: Pick<Broker, 'getClock'>, now: () => number): Promise<number> {
  const offsets: number[] = []
  do {
    const asked = now()
    const clock = await broker.getClock()
    offsets.push(Date.parse(clock.now) - (asked + now()) / 2)
  } while (isClockDoubted(offsets[0]!) && offsets.length < CLOCK_READINGS)
  return Math.round(medianOf(offsets))
}
