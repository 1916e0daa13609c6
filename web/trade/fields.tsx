import { useId, type ComponentProps, type ReactNode } from 'react'
import { hasLimitPrice, hasStopPrice } from '#domain/order.ts'
import { isOpening } from '#domain/signal.ts'
import { PartButtons } from '../orders/part-buttons.tsx'
import { PriceOffers } from '../orders/price-offers.tsx'
import { Direction } from '../parts/direction.tsx'
import { Field, SelectField } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useAccounts } from '../records/accounts.ts'
import { SymbolField } from '../symbol/symbol-field.tsx'
import { isRealMoney } from '../words/signal.ts'
import type { Draft } from './draft.ts'
import { useFormState } from './form-state.ts'
import { SIZES } from './rules.ts'
import { actionOf, sharesOfPart, verbOf, type Scene } from './scene.ts'

type TextName = { [Name in keyof Draft]: Draft[Name] extends string ? Name : never }[keyof Draft]
type Given = 'name' | 'value' | 'onChange' | 'onBlur'

/** A field that is typed. */
export function Text({ name, ...rest }: { name: TextName } & Omit<ComponentProps<typeof Field>, Given>) {
  const form = useFormState()
  return (
    <form.Field name={name}>
      {({ state, handleChange, handleBlur }) => (
        <Field
          autoComplete="off"
          {...rest}
          name={name}
          value={state.value}
          onBlur={handleBlur}
          onChange={({ target }) => handleChange(target.value)}
        />
      )}
    </form.Field>
  )
}

/** A field that is one of a few words. */
export function Choice({
  name,
  ...rest
}: { name: TextName } & Omit<ComponentProps<typeof SelectField>, Given>) {
  const form = useFormState()
  return (
    <form.Field name={name}>
      {({ state, handleChange, handleBlur }) => (
        <SelectField
          {...rest}
          name={name}
          value={state.value}
          onBlur={handleBlur}
          onChange={({ target }) => handleChange(target.value)}
        />
      )}
    </form.Field>
  )
}

export interface FieldsProps {
  /** As it is meant: with the account that is taken where none is chosen. */
  draft: Draft
  scene: Scene
}

const TYPES = { market: 'Market', limit: 'Limit', stop: 'Stop', stopLimit: 'Stop limit' } as const

interface BasicsProps extends FieldsProps {
  /** The name of the symbol, and what is held of it. */
  name: ReactNode
  /** Shares to which the service sizes it; empty while they are not known, or said. */
  sized: string
}

/** What, how much, and at which price. */
export function BasicFields({ draft, scene, name, sized }: BasicsProps) {
  const form = useFormState()
  const accounts = useAccounts()
  return (
    <>
      <Sides {...{ draft, scene }} />
      <div className="grid content-start gap-1">
        <form.Field name="symbol">
          {({ state, handleChange }) => (
            <SymbolField
              value={state.value}
              choose={(symbol) => handleChange(symbol.toUpperCase())}
              accountId={draft.accountId}
            />
          )}
        </form.Field>
        {name}
      </div>
      <SelectField
        label="Account"
        name="accountId"
        value={draft.accountId}
        options={{
          ...(draft.accountId === '' && { '': 'None' }),
          ...Object.fromEntries(
            Array.from(accounts.values(), (account) => [
              account.id,
              isRealMoney(account) ? `LIVE · ${account.name}` : account.name,
            ]),
          ),
        }}
        onChange={({ target }) => form.setFieldValue('accountId', target.value)}
      />
      <Quantity {...{ draft, scene, sized }} />
      <form.Field name="orderType">
        {({ state, handleChange }) => (
          <div className="flex desk:col-span-2">
            <Segmented legend="Order type" value={state.value} options={TYPES} choose={handleChange} />
          </div>
        )}
      </form.Field>
      {hasStopPrice(draft.orderType) && (
        <Text label="Stop price ($)" name="stopPrice" inputMode="decimal" className="desk:col-span-2" />
      )}
      {hasLimitPrice(draft.orderType) && (
        <div className="grid gap-2 desk:col-span-2">
          <Text label="Limit price ($)" name="limitPrice" inputMode="decimal" />
          <PriceOffers
            quote={scene.quote}
            choose={(limitPrice) => form.setFieldValue('limitPrice', limitPrice)}
          />
        </div>
      )}
    </>
  )
}

/** Both sides, named by what they do to the position. */
function Sides({ draft, scene }: FieldsProps) {
  const form = useFormState()
  const name = useId()
  return (
    <form.Field name="side">
      {({ state, handleChange }) => (
        <fieldset className="grid grid-cols-2 gap-2 desk:col-span-2">
          <legend className="sr-only">Side</legend>
          {(['BUY', 'SELL'] as const).map((side) => (
            <label
              key={side}
              className={`relative flex min-h-11 items-center justify-center gap-2 rounded-control border border-edge font-medium text-muted has-checked:text-text has-checked:ring-2 has-focus-visible:outline-2 has-focus-visible:outline-offset-2 has-focus-visible:outline-text desk:min-h-9 ${side === 'BUY' ? 'has-checked:border-buy has-checked:ring-buy' : 'has-checked:border-sell has-checked:ring-sell'}`}
            >
              <input
                type="radio"
                name={name}
                checked={side === state.value}
                onChange={() => handleChange(side)}
                className="absolute inset-0 cursor-pointer opacity-0"
              />
              <Direction isBuy={side === 'BUY'} />
              {verbOf({ ...draft, side }, scene.held)}
            </label>
          ))}
        </fieldset>
      )}
    </form.Field>
  )
}

/** How much: in each way that a size is said, or as a part of the position or of the buying power. */
function Quantity({ draft, scene, sized }: FieldsProps & { sized: string }) {
  const form = useFormState()
  const { quantityType } = draft
  const opens = isOpening(actionOf(draft, scene.held))
  const whole = opens ? 'the buying power' : 'the position'
  const own = SIZES[opens ? 'open' : 'close']
  const all = { ...SIZES.open, ...SIZES.close }
  return (
    <div className="grid gap-2 desk:col-span-2">
      <Text
        label={all[quantityType]}
        name="quantity"
        inputMode="decimal"
        {...(sized !== '' && { hint: sized })}
      />
      <Segmented
        legend="Size in"
        value={quantityType}
        // What was chosen for the other side stays in sight until another size is said.
        options={
          Object.fromEntries(
            Object.entries(all).filter(([size]) => size in own || size === quantityType),
          ) as typeof all
        }
        choose={(next) => {
          form.setFieldValue('quantityType', next)
          form.setFieldValue('quantity', '')
        }}
      />
      <div className="flex flex-wrap gap-2">
        <PartButtons
          whole={whole}
          sharesOf={(part) => sharesOfPart(part, draft, scene)}
          choose={(shares) => {
            form.setFieldValue('quantityType', 'fixed')
            form.setFieldValue('quantity', shares)
          }}
        />
        <span className="self-center text-xs text-muted">of {whole}</span>
      </div>
    </div>
  )
}
