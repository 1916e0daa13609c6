import { Checkbox } from '../parts/checkbox.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { Table, type Column } from '../parts/table.tsx'
import type { HookFieldsProps } from './fields.tsx'
import { effectsOf, type Effect, type Meaning } from './meaning.ts'

const MANAGED = { own: 'its own', position: 'the whole position' } as const
const SAME = { nothing: 'does nothing', add: 'adds to the position' } as const
const OPPOSITE = { close: 'only closes', reverse: 'closes, then opens' } as const

export function MeaningFields({ draft, change }: HookFieldsProps) {
  return (
    <>
      <Checkbox
        checked={draft.mayShort}
        onChange={({ target }) => change({ mayShort: target.checked })}
        className="min-h-11 items-start gap-3 desk:min-h-0 [&>input]:mt-1"
      >
        <span>
          <span className="font-medium">It may sell short</span>{' '}
          <span className="text-muted">
            {draft.kind === 'json'
              ? 'Otherwise openShort, and a target below 0, is refused'
              : 'Otherwise a sell closes, and never opens a short position'}
          </span>
        </span>
      </Checkbox>
      <div className="grid gap-1 desk:justify-items-start">
        <p className="font-medium">Shares that it manages</p>
        <Segmented
          legend="Shares that it manages"
          options={MANAGED}
          value={draft.manages}
          choose={(manages) => change({ manages })}
        />
        <p className="text-muted">
          {draft.manages === 'own'
            ? 'It never sells shares that another strategy, another hook or you have bought'
            : 'Its targets and closes trade the whole position of the account'}
        </p>
      </div>
      {draft.kind === 'tradingview' && (
        <p className="text-muted">
          A message of a strategy gives its position, and this hook follows it. The settings below are for
          alerts that only say buy or sell.
        </p>
      )}
      {draft.kind !== 'json' && (
        <>
          <div className="grid gap-1 desk:justify-items-start">
            <p className="font-medium">The same side again</p>
            <Segmented
              legend="The same side again"
              options={SAME}
              value={draft.whenSame}
              choose={(whenSame) => change({ whenSame })}
            />
          </div>
          {draft.mayShort && (
            <div className="grid gap-1 desk:justify-items-start">
              <p className="font-medium">The other side</p>
              <Segmented
                legend="The other side"
                options={OPPOSITE}
                value={draft.whenOpposite}
                choose={(whenOpposite) => change({ whenOpposite })}
              />
            </div>
          )}
          <MeaningTable meaning={draft} />
        </>
      )}
    </>
  )
}

const COLUMNS: Column<Effect>[] = [
  { name: 'Held', place: 'first', of: ({ held }) => <b className="font-medium">{held} held</b> },
  { name: '“buy”', of: ({ buy }) => buy },
  { name: '“sell”', of: ({ sell }) => sell },
]

const MeaningTable = ({ meaning }: { meaning: Meaning }) => (
  <div className="overflow-clip rounded-card border border-line">
    <Table
      label="Effect of buy and sell"
      columns={COLUMNS}
      rows={effectsOf(meaning)}
      keyOf={({ held }) => held}
    />
  </div>
)
