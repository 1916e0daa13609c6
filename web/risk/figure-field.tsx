import { useId } from 'react'
import { Segmented } from '../parts/segmented.tsx'
import { defaultOf, type FigureDraft } from './draft.ts'
import { FIGURES, nameOf, valueWords, type FigureName } from './words.ts'

const CHOICES = { default: 'Default', own: 'Own', off: 'Off' } as const

interface Props {
  limit: FigureName
  draft: FigureDraft
  change: (draft: FigureDraft) => void
  fault: string | undefined
  /** Present use, such as "12 today"; null where nothing is counted. */
  used: string | null
}

export function FigureField({ limit, draft, change, fault, used }: Props) {
  const id = useId()
  const { name, unit, meaning } = FIGURES[limit]
  const fullName = nameOf(limit)
  const standard = defaultOf(limit)
  return (
    <fieldset className="grid min-w-0 items-start gap-x-4 gap-y-2 border-line px-4 py-3 not-last:border-b desk:grid-cols-[minmax(0,1fr)_auto_170px]">
      <legend className="sr-only">{fullName}</legend>
      <p aria-hidden="true">
        <span className="font-medium">{name}</span>{' '}
        {unit !== 'orders' && <span className="text-muted">{unit}</span>}
        <span className="block text-xs text-muted">{meaning}</span>
      </p>
      <Segmented
        legend="Limit"
        options={CHOICES}
        value={draft.choice}
        choose={(choice) =>
          change({
            choice,
            text: choice === 'own' && draft.text === '' ? String(standard ?? '') : draft.text,
          })
        }
      />
      <div className="min-w-0">
        {draft.choice === 'own' ? (
          <>
            <label htmlFor={id} className="sr-only">
              {fullName}
            </label>
            <input
              id={id}
              value={draft.text}
              onChange={(event) => change({ ...draft, text: event.target.value })}
              inputMode="decimal"
              autoComplete="off"
              aria-invalid={fault !== undefined}
              aria-describedby={`${id}-note`}
              className={`h-11 w-full min-w-0 rounded-control border bg-surface px-3 text-right text-base desk:h-8 desk:text-sm ${fault === undefined ? 'border-edge' : 'border-danger'}`}
            />
          </>
        ) : (
          <p className="desk:pt-1.5 desk:text-right">
            {valueWords(limit, draft.choice === 'off' ? null : standard)}
          </p>
        )}
        {used !== null && <p className="mt-1 text-xs text-muted desk:text-right">used: {used}</p>}
        <p id={`${id}-note`} className="mt-1 text-xs text-danger empty:hidden">
          {fault}
        </p>
      </div>
      <p className="sr-only">{meaning}</p>
    </fieldset>
  )
}
