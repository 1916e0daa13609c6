import { setTimeout as sleep } from 'node:timers/promises'
import { barsOf } from './chart.ts'
import { Strategy, type Bar, type Fill } from './emulator.ts'
import { strategyMessage, type Chart } from './message.ts'
import type { MessageKind, Script } from './scripts.ts'
import { send, type SendingTimes, type Try } from './sender.ts'

/** Milliseconds between two orders of one bar that fill at different prices. Targets have each a second of their own, which tells which is older. */
const BETWEEN_MOMENTS: Record<MessageKind, number> = { steps: 500, target: 1_050 }
/** Milliseconds between the arrivals of alerts of one moment, as far as they are seen to change places. */
const BETWEEN_ALERTS = 30

/** One alert, from the order that caused it to its last answer. */
export interface Delivery {
  fill: Fill
  message: string
  tries: Try[]
}

/** One chart with a strategy on it, whose alerts go to the service. */
export class Player {
  readonly script: Script
  readonly chart: Chart
  readonly strategy: Strategy
  readonly deliveries: Delivery[] = []
  readonly #bars: Bar[]
  readonly #startsAt: number
  readonly #to: { url: string; template: string; times: SendingTimes }

  /** @param startsAt the number of the bar with which the strategy begins; where odd, steps of one moment and targets of one bar come in the wrong order */
  constructor(
    script: Script,
    chart: Chart,
    to: { url: string; template: string; times: SendingTimes },
    startsAt = 0,
  ) {
    this.script = script
    this.chart = chart
    this.#to = to
    this.#startsAt = startsAt
    this.strategy = new Strategy({ pyramiding: script.pyramiding ?? 1 })
    this.#bars = barsOf(script.closes, new Date(Date.now() - script.closes.length * 60_000))
  }

  /** Bars from the first of all players to the last of this one; the orders of the last close fill in one more. */
  get bars(): number {
    return this.#startsAt + this.#bars.length
  }

  /** Plays a bar, and resolves when all of its alerts are answered for good. */
  async play(bar: number): Promise<void> {
    const own = bar - this.#startsAt
    const shown = this.#bars[own]
    if (shown === undefined) return
    const fills = this.strategy.play(shown)
    this.script.atClose(this.strategy, own)
    const moments = [...Map.groupBy(fills, ({ moment }) => moment).values()]
    const isReversed = this.#startsAt % 2 === 1
    const ofSteps = this.script.message === 'steps'
    const between = BETWEEN_MOMENTS[this.script.message]
    await Promise.all(
      moments.map(async (together, place) => {
        await sleep(place * between)
        const inOrder = isReversed && ofSteps ? together.toReversed() : together
        // Of two targets of one moment nothing tells which is older.
        const after = moments.length - 1 - place
        const late = isReversed && !ofSteps ? after * (between + BETWEEN_ALERTS) : 0
        await Promise.all(
          inOrder.map(async (fill, turn) => {
            await sleep(turn * BETWEEN_ALERTS)
            await this.#alert(fill, late)
          }),
        )
      }),
    )
  }

  /** @param late milliseconds from the making of the message to its first try */
  async #alert(fill: Fill, late: number): Promise<void> {
    const { url, template, times } = this.#to
    const message = strategyMessage(template, this.chart, fill, new Date())
    await sleep(late)
    this.deliveries.push({ fill, message, tries: await send(url, message, times) })
  }
}
