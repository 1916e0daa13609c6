import type { Strategy } from '#client/types.ts'
import { SymbolLink } from '../parts/symbol-link.tsx'
import { useStrategies } from '../records/accounts.ts'
import { Breakdown } from './breakdown.tsx'
import { EXIT_COST } from './exit-cost.tsx'
import { Senders } from './senders.tsx'
import type { Statistics } from './statistics.ts'
import { StrategyName } from './strategy-name.tsx'
import { exitWayName, hourName, lengthName, weekdayName } from './words.ts'

const symbolName = (symbol: string) => <SymbolLink symbol={symbol} />
const strategyName = (known: readonly Strategy[] | undefined) => (id: string | null) => (
  <StrategyName id={id} known={known} />
)

export function Breakdowns({
  statistics,
  withStrategies = true,
}: {
  statistics: Statistics
  /** Off on a strategy's page, which has only its own trades. */
  withStrategies?: boolean
}) {
  const strategies = useStrategies()
  const { symbols, hours, weekdays, lengths, exits, senders } = statistics
  return (
    <>
      {withStrategies && (
        <Breakdown
          title="By strategy"
          by="Strategy"
          groups={statistics.strategies}
          nameOf={strategyName(strategies.data)}
          order="trades"
        />
      )}
      <Breakdown title="By symbol" by="Symbol" groups={symbols} nameOf={symbolName} order="trades" />
      <Breakdown title="By hour" by="Hour" note="of the entry, New York" groups={hours} nameOf={hourName} />
      <Breakdown
        title="By weekday"
        by="Weekday"
        note="of the entry, New York"
        groups={weekdays}
        nameOf={weekdayName}
      />
      <Breakdown title="By length of hold" by="Held" groups={lengths} nameOf={lengthName} />
      <Breakdown
        title="Result and cost of exits"
        by="Exit"
        note="slippage from the stop, or from the price as the exit was sent"
        groups={exits}
        nameOf={exitWayName}
        more={[EXIT_COST]}
      />
      <Senders senders={senders} />
    </>
  )
}
