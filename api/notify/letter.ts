import type { NotifiedDay } from '#db/notify/day-summaries.ts'
import type { Listed } from '#db/notify/day-letter.ts'
import { ALERT_NAMES } from '#domain/alert/names.ts'
import { dollarAmount, figure, magnitude, type Decimal } from '#domain/money/decimal.ts'
import { SIDE_DONE, SIDE_VERBS } from '#domain/order/order.ts'
import { ENTRY_SIDE } from '#domain/signal/signal.ts'
import { withInstants } from '#domain/time/instants.ts'
import { plainText } from './plain-text.ts'
import { inNewYork, positionInWords } from './position-words.ts'

/** UTF-16 units: Discord takes 2,000. */
const LONGEST_LETTER = 1_900
const LONGEST_LINE = 200
const MOST_LINES = 20

export const signed = (amount: Decimal): string =>
  `${amount.startsWith('-') ? '−' : '+'}${dollarAmount(magnitude(amount))}`

export const counted = (count: number, what: string): string => `${count} ${what}${count === 1 ? '' : 's'}`

/** The day in plain text, short enough for all channels; counts alone without `showFigures`. */
export function letterOf(day: NotifiedDay, showFigures: boolean): string {
  if (!showFigures) return textOf(countsOf(day))
  for (let most = MOST_LINES; most > 1; most -= 1) {
    const text = textOf(sectionsOf(day, most))
    if (text.length <= LONGEST_LETTER) return text
  }
  return textOf(sectionsOf(day, 1))
}

type Sections = readonly (readonly [heading: string, lines: readonly string[]])[]

const textOf = (sections: Sections): string =>
  sections
    .filter(([heading, lines]) => lines.length > 0 || heading === 'Open')
    .map(([heading, lines]) => (lines.length === 0 ? `${heading}: nothing` : [heading, ...lines].join('\n')))
    .join('\n\n')

function countsOf({ letter: { orders, trades, positions, waiting, missed, alerts } }: NotifiedDay): Sections {
  const some = (count: number, what: string): string[] => (count === 0 ? [] : [counted(count, what)])
  const uncovered = positions.uncovered === 0 ? '' : `, ${positions.uncovered} not fully covered by an exit`
  const open = alerts.reduce((sum, { count }) => sum + count, 0)
  return [
    ['Done', [...some(orders.count, 'executed order'), ...some(trades.count, 'closed trade')]],
    ['Open', some(positions.count, 'position').map((words) => `${words}${uncovered}`)],
    ['Needs a decision', some(waiting.count, 'signal')],
    ['Missed', [...some(missed.count, 'signal'), ...some(open, 'open alert')]],
  ]
}

function sectionsOf({ realised, letter }: NotifiedDay, most: number): Sections {
  const { orders, trades, positions, waiting, missed, alerts } = letter
  const lines = <Row>({ count, first }: Listed<Row>, inWords: (row: Row) => string): string[] => {
    const shown = first.slice(0, most)
    const others = count - shown.length
    // Strangers chose symbols and reasons: a line break would forge a heading.
    const named = shown.map((row) => plainText(inWords(row), LONGEST_LINE))
    return others === 0 ? named : [...named, `and ${others} more`]
  }
  return [
    [
      'Done',
      [
        ...lines(
          orders,
          ({ side, quantity, symbol, price }) =>
            `${SIDE_DONE[side]} ${figure(quantity)} ${symbol} at ${dollarAmount(price)}`,
        ),
        ...lines(trades, (trade) => `Closed ${trade.symbol}: ${signed(trade.realised)}`),
      ],
    ],
    ['Open', lines(positions, positionInWords)],
    [
      'Result',
      trades.count === 0 ? [] : [`${signed(realised)} after fees, ${counted(trades.count, 'closed trade')}`],
    ],
    [
      'Needs a decision',
      lines(waiting, ({ action, symbol, until }) =>
        [
          `${SIDE_VERBS[ENTRY_SIDE[action]]} ${symbol}`,
          ...(until === null ? [] : [`until ${inNewYork(until)}`]),
        ].join(', '),
      ),
    ],
    [
      'Missed',
      [
        ...lines(missed, ({ action, symbol, reason }) =>
          [
            `${SIDE_VERBS[ENTRY_SIDE[action]]} ${symbol}`,
            ...(reason === null ? [] : [withInstants(reason, inNewYork)]),
          ].join(': '),
        ),
        ...lines(
          { count: alerts.length, first: alerts },
          ({ kind, count }) => `Open alert: ${ALERT_NAMES[kind]}${count === 1 ? '' : `, ${count} times`}`,
        ),
      ],
    ],
  ]
}
