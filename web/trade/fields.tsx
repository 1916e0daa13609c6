import { useId, type ReactNode } from 'react'
import { isOpening } from '#domain/signal/signal.ts'
import { PartButtons } from '../order/part-buttons.tsx'
import { PriceOffers } from '../order/price-offers.tsx'
import { Direction } from '../parts/direction.tsx'
import { SelectField } from '../parts/field.tsx'
import { Segmented } from '../parts/segmented.tsx'
import { useAccounts } from '../records/accounts.ts'
import { SymbolField } from '../symbol/symbol-field.tsx'
import { isRealMoney } from '../words/signal.ts'
import { Control } from './controls.tsx'
import type { Draft } from './draft.ts'
import { useFormState } from './form-state.ts'
import { ALL_SIZES, isAsked, SIZES } from './rules.ts'
import { actionOf, sharesOfPart, verbOf, type Scene } from './scene.ts'

export interface FieldsProps {
  /** The draft with its default account. */
  draft: Draft
  scene: Scene
}

interface Props extends FieldsProps {
  name: ReactNode
  /** Shares, as sized by the service; empty while unknown, or if given. */
  sized: string
}

export function BasicFields({ draft, scene, name, sized }: Props) {
  const form = useFormState()
  const accounts = Array.from(useAccounts().values(), (account): [string, string] => [
    account.id,
    isRealMoney(account) ? `LIVE · ${account.name}` : account.name,
  ])
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
      <form.Field name="accountId">
        {({ handleChange }) => (
          <SelectField
            label="Account"
            name="accountId"
            value={draft.accountId}
            options={{ ...(draft.accountId === '' && { '': 'None' }), ...Object.fromEntries(accounts) }}
            onChange={({ target }) => handleChange(target.value)}
          />
        )}
      </form.Field>
      <Quantity {...{ draft, scene, sized }} />
      <Control name="orderType" />
      {isAsked('stopPrice', draft) && <Control name="stopPrice" />}
      {isAsked('limitPrice', draft) && (
        <div className="grid gap-2 desk:col-span-2">
          <Control name="limitPrice" />
          <PriceOffers
            quote={scene.quote}
            choose={(limitPrice) => form.setFieldValue('limitPrice', limitPrice)}
          />
        </div>
      )}
    </>
  )
}

/** Both sides, named by their effect on the position. */
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

function Quantity({ draft, scene, sized }: Omit<Props, 'name'>) {
  const form = useFormState()
  const { quantityType } = draft
  const opens = isOpening(actionOf(draft, scene.held))
  const whole = opens ? 'the buying power' : 'the position'
  const say = (type: Draft['quantityType'], quantity: string): void => {
    form.setFieldValue('quantityType', type)
    form.setFieldValue('quantity', quantity)
  }
  // A unit chosen for the other side remains visible until another one is chosen.
  const sizes = Object.entries(ALL_SIZES).filter(
    ([size]) => size in SIZES[opens ? 'open' : 'close'] || size === quantityType,
  )
  return (
    <div className="grid gap-2 desk:col-span-2">
      <Control name="quantity" label={ALL_SIZES[quantityType]} {...(sized !== '' && { hint: sized })} />
      <Segmented
        legend="Size in"
        value={quantityType}
        options={Object.fromEntries(sizes) as typeof ALL_SIZES}
        choose={(type) => say(type, '')}
      />
      <div className="flex flex-wrap gap-2">
        <PartButtons
          whole={whole}
          sharesOf={(part) => sharesOfPart(part, draft, scene)}
          choose={(shares) => say('fixed', shares)}
        />
        <span className="self-center text-xs text-muted">of {whole}</span>
      </div>
    </div>
  )
}
