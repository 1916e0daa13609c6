import { Checkbox } from '../parts/checkbox.tsx'
import { Disclosure } from '../parts/disclosure.tsx'
import { FaultsOfForm, Field, Select, SelectField, TextArea } from '../parts/field.tsx'
import { FlatByCloseFields } from '../parts/flat-by-close.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useStrategies } from '../records/accounts.ts'
import { TimeExitFields } from '../trade/exit-fields.tsx'
import type { HookDraft, Silence } from './draft.ts'
import { MeaningFields } from './meaning-fields.tsx'
import { notesOf } from './notes.ts'
import { readSymbolLines } from './symbols-map.ts'
import type { HookFieldsProps } from './fields.tsx'

/** Choices with a default, folded with their state in sight. */
export function MoreFields(props: HookFieldsProps) {
  const { draft, change, faultOf } = props
  const strategies = useStrategies().data ?? []
  const notes = notesOf(draft, strategies)
  const has = (...fields: string[]): boolean => fields.some((field) => faultOf(field) !== undefined)
  const readLines = readSymbolLines(draft.symbols)
  return (
    <div className="rounded-card border border-line">
      <Disclosure name="Size" note={notes.size} isOpen={has('quantity', 'quantityType')}>
        <div className="grid grid-cols-[minmax(0,1fr)_auto] items-start gap-2 desk:w-80">
          <Field
            label="Quantity"
            value={draft.quantity}
            onChange={({ target }) => change({ quantity: target.value })}
            hint="For messages without a quantity; if empty, they are refused"
            inputMode="decimal"
            autoComplete="off"
            fault={faultOf('quantity')}
          />
          <SelectField
            label="of"
            value={draft.quantityType}
            options={UNITS}
            onChange={({ target }) => change({ quantityType: target.value as HookDraft['quantityType'] })}
          />
        </div>
      </Disclosure>
      <Disclosure
        name={draft.kind === 'json' ? 'Short positions' : 'What buy and sell mean'}
        note={notes.meaning}
      >
        <MeaningFields {...props} />
      </Disclosure>
      <Disclosure name="Exit" note={notes.exit} isOpen={has('exit')}>
        <FaultsOfForm value={(name) => faultOf(`exit.${name}`)}>
          <div className="grid items-start gap-4 desk:grid-cols-2">
            <TimeExitFields
              draft={draft.exit}
              change={(next) => change({ exit: { ...draft.exit, ...next } })}
            />
          </div>
        </FaultsOfForm>
        <p className="text-xs text-muted">
          For each position that it opens. A message that closes needs none.
        </p>
      </Disclosure>
      <Disclosure name="Stops and targets in messages" note={notes.protection}>
        <Segmented
          legend="Stops and targets that cannot be kept"
          options={PROTECTION}
          value={draft.protection}
          choose={(protection) => change({ protection })}
        />
        <p className="text-xs text-muted">
          A stop, target or trailing stop becomes the exit of the new position. A message that names one in an
          unknown field is refused, so that no position is opened without its stop.
        </p>
      </Disclosure>
      <Disclosure name="Flat by the close" note={notes.flatByClose} isOpen={has('flatByClose')}>
        <FlatByCloseFields
          draft={draft.flatByClose}
          change={(flatByClose) => change({ flatByClose })}
          whose="hook"
          fault={faultOf('flatByClose')}
        />
      </Disclosure>
      <Disclosure name="Symbols" note={notes.symbols} isOpen={readLines.fault !== null || has('symbols')}>
        <TextArea
          label="Names of the sender"
          rows={3}
          value={draft.symbols}
          onChange={({ target }) => change({ symbols: target.value })}
          placeholder="BRK-B = BRK.B"
          hint="One per line: the sender’s name, then the broker’s. NASDAQ:AAPL and AAPL.US need no line"
          fault={readLines.fault ?? faultOf('symbols')}
        />
      </Disclosure>
      <Disclosure name="Strategy" note={notes.strategy} isOpen={has('strategyId')}>
        <Select
          label="Signals belong to"
          value={draft.strategyId}
          options={[['', 'No strategy'], ...strategies.map(({ id, name }) => [id, name] as const)]}
          choose={(strategyId) => change({ strategyId })}
          className="desk:w-80"
        />
      </Disclosure>
      <Disclosure name="Who may send" note={notes.senders} isOpen={has('addresses', 'requestsPerMinute')}>
        <Checkbox
          checked={draft.onlyTradingView}
          onChange={({ target }) => change({ onlyTradingView: target.checked })}
          className="min-h-11 items-start gap-3 desk:min-h-0 [&>input]:mt-1"
        >
          <span>
            <span className="font-medium">TradingView’s four addresses</span>{' '}
            <span className="text-muted">All others are refused, unless listed below</span>
          </span>
        </Checkbox>
        <div className="grid items-start gap-4 desk:grid-cols-2">
          <Field
            label="Other addresses"
            value={draft.addresses}
            onChange={({ target }) => change({ addresses: target.value })}
            hint="Of machines or networks, such as 203.0.113.0/24, separated by spaces"
            autoComplete="off"
            fault={faultOf('addresses')}
          />
          <Field
            label="Requests a minute"
            value={draft.requestsPerMinute}
            onChange={({ target }) => change({ requestsPerMinute: target.value })}
            hint="Further requests are refused"
            inputMode="numeric"
            autoComplete="off"
            fault={faultOf('requestsPerMinute')}
          />
        </div>
      </Disclosure>
      <Disclosure name="Silence" note={notes.silence} isOpen={has('expects')}>
        <div className="grid items-start gap-4 desk:grid-cols-2">
          <Select
            label="Notify me"
            value={draft.silence}
            options={Object.entries(SILENCE) as [Silence, string][]}
            choose={(silence) => change({ silence })}
          />
          {draft.silence === 'everySession' && (
            <Field
              label="By, New York"
              type="time"
              value={draft.silentUntil}
              onChange={({ target }) => change({ silentUntil: target.value })}
              fault={faultOf('expects')}
            />
          )}
        </div>
        <p className="text-xs text-muted">Days on which the exchange is closed are left out.</p>
      </Disclosure>
    </div>
  )
}

const UNITS = {
  fixed: 'shares',
  percentEquity: '% of equity',
  dollarAmount: 'dollars',
  riskPercent: '% of equity at risk',
  riskDollars: 'dollars at risk',
} as const satisfies Record<HookDraft['quantityType'], string>
const PROTECTION = { refuse: 'Refuse the message', ignore: 'Trade without it' } as const
const SILENCE = {
  never: 'never',
  everySession: 'if no message came in a session by a time',
  everyDay: 'if no message came for a day',
} as const satisfies Record<Silence, string>
