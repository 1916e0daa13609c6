import { ShieldAlert } from 'lucide-react'
import { useState } from 'react'
import type { Account } from '#client/types.ts'
import { useSend, FormSheet } from '../parts/form.tsx'
import { number } from '../words/figures.ts'
import { isRealMoney } from '../words/signal.ts'
import { ask } from '../connection/ask.ts'
import { Problem } from '../connection/problem.ts'
import { Button } from '../parts/button.tsx'
import { Field, Select } from '../parts/field.tsx'
import { Notice } from '../parts/notice.tsx'
import { Chip, Panel } from '../parts/panel.tsx'
import { bodyOf, changesOf, defaultOf, draftOf, missingOf, type Change, type Draft } from './draft.ts'
import { FigureField } from './figure-field.tsx'
import { usageWords, useUsage } from './usage.ts'
import {
  DUPLICATE_POLICIES,
  GROUPS,
  MARKET_HOURS,
  nameOf,
  valueWords,
  type FigureName,
  type RiskSettings,
} from './words.ts'
import { Checkbox } from '../parts/checkbox.tsx'

interface Props {
  settings: RiskSettings
  account: Account | undefined
  saved: (settings: RiskSettings) => void
  edited: () => void
}

export function LimitsForm({ settings, account, saved, edited }: Props) {
  const usage = useUsage(settings.accountId)
  const [draft, setDraft] = useState<Draft>(() => draftOf(settings))
  const [isAsking, setAsking] = useState(false)
  const form = useSend(async () => {
    try {
      const { body } = await ask('PUT /api/v1/settings/risk/{accountId}', {
        path: { accountId: settings.accountId },
        body: bodyOf(draft),
      })
      setAsking(false)
      saved(body.data)
    } catch (error) {
      // Fields with faults are below the sheet.
      if (error instanceof Problem && error.faults.length > 0) setAsking(false)
      throw error
    }
  })
  const missing = missingOf(draft)
  const changes = missing.length === 0 ? changesOf(draft, settings, valueWords) : []
  const change = (next: Partial<Draft>): void => {
    edited()
    setDraft({ ...draft, ...next })
  }
  const faultOf = (name: string): string | undefined =>
    missing.includes(name as FigureName) ? 'needs a number, such as 1000' : form.faultOf(name)
  const figure = (name: FigureName) => (
    <FigureField
      key={name}
      limit={name}
      draft={draft.figures[name]}
      change={(next) => change({ figures: { ...draft.figures, [name]: next } })}
      fault={faultOf(name)}
      used={usageWords(name, usage)}
    />
  )
  return (
    <>
      <div className="grid gap-4">
        <p className="text-muted">
          Limits apply from the next order, including waiting signals. Closing orders are exempt, except from
          the two that say so: a limit never keeps you in a position.
        </p>
        {GROUPS.map(({ title, names }) => (
          <Panel key={title} title={title}>
            {names.map(figure)}
            {title === 'Approval' && isRealMoney(account) && !asksForApproval(draft) && (
              <div className="p-4">
                <Notice kind="warn" title="Programs trade real money without you">
                  Anyone with a token of yours can open positions up to the other limits. With 0 here every
                  entry needs your approval.
                </Notice>
              </div>
            )}
          </Panel>
        ))}
        <Panel title="Repetition">
          {figure('duplicateWindowSeconds')}
          <div className="p-4">
            <Select
              label="A repeated order"
              value={draft.duplicatePolicy}
              options={[
                ['', `Default: ${valueWords('duplicatePolicy', 'warn').toLowerCase()}`],
                ...entries(DUPLICATE_POLICIES),
              ]}
              choose={(duplicatePolicy) => change({ duplicatePolicy })}
              className="desk:w-90"
            />
          </div>
        </Panel>
        <Opening {...{ draft, change }} faultOf={(name) => faultOf(name) ?? listFault(form.problem, name)} />
      </div>
      <div className="sticky bottom-16 mt-4 flex flex-wrap items-center gap-2 rounded-card border border-line bg-surface p-3 desk:bottom-4 desk:px-4">
        <p role="status" className="min-w-30 grow text-sm text-muted">
          {missing.length > 0
            ? 'A number is missing'
            : changes.length === 0
              ? 'No changes'
              : changes.length === 1
                ? '1 limit is changed'
                : `${number(changes.length)} limits are changed`}
        </p>
        <Button
          disabled={changes.length === 0 && missing.length === 0}
          onClick={() => {
            edited()
            setDraft(draftOf(settings))
          }}
        >
          Undo
        </Button>
        <Button kind="primary" disabled={changes.length === 0} onClick={() => setAsking(true)}>
          Save…
        </Button>
      </div>
      {isAsking && (
        <FormSheet
          close={() => setAsking(false)}
          title={`Change the limits of ${account?.name ?? 'the account'}?`}
          verb={isRealMoney(account) ? 'Save for real money' : 'Save'}
          form={form}
          isReal={isRealMoney(account)}
          isQuestion
        >
          <Changes changes={changes} />
        </FormSheet>
      )}
    </>
  )
}

interface OpeningProps {
  draft: Draft
  change: (next: Partial<Draft>) => void
  faultOf: (name: string) => string | undefined
}

const Opening = ({ draft, change, faultOf }: OpeningProps) => (
  <Panel title="What may be opened, and when">
    <div className="grid gap-4 p-4">
      <Select
        label="Positions may be opened"
        value={draft.marketHours}
        options={[
          ['', `Default: ${valueWords('marketHours', 'any').toLowerCase()}`],
          ...entries(MARKET_HOURS),
        ]}
        choose={(marketHours) => change({ marketHours })}
        className="desk:w-90"
      />
      <Checkbox
        checked={draft.allowedSymbols !== null}
        onChange={() => change({ allowedSymbols: draft.allowedSymbols === null ? '' : null })}
      >
        Only some symbols
      </Checkbox>
      {draft.allowedSymbols !== null && (
        <Field
          label="Symbols that may be opened"
          value={draft.allowedSymbols}
          onChange={(event) => change({ allowedSymbols: event.target.value })}
          autoCapitalize="characters"
          autoComplete="off"
          hint="Separated by spaces; with an empty list no position can be opened"
          fault={faultOf('allowedSymbols')}
        />
      )}
      <Field
        label="Symbols that may not be opened"
        value={draft.forbiddenSymbols}
        onChange={(event) => change({ forbiddenSymbols: event.target.value })}
        autoCapitalize="characters"
        autoComplete="off"
        hint="Separated by spaces"
        fault={faultOf('forbiddenSymbols')}
      />
    </div>
  </Panel>
)

/** Whether a draft makes entries require approval. */
const asksForApproval = ({ figures: { approvalAboveValue } }: Draft): boolean =>
  approvalAboveValue.choice === 'own' ||
  (approvalAboveValue.choice === 'default' && defaultOf('approvalAboveValue') !== null)

const entries = <Word extends string>(words: Record<Word, string>): [Word, string][] =>
  Object.entries(words) as [Word, string][]

/** Fault of a list's entry, named by its index. */
const listFault = (problem: Problem | null, name: string): string | undefined =>
  problem?.faults.find(({ field }) => field.startsWith(`${name}.`))?.message

const Changes = ({ changes }: { changes: readonly Change[] }) => (
  <>
    <ul aria-label="What changes" className="grid gap-3">
      {changes.map(({ name, before, after, loosens }) => (
        <li key={name} className="grid gap-0.5">
          <span className="flex flex-wrap items-center gap-2 font-medium">
            {nameOf(name)}
            {loosens && (
              <Chip kind="warn">
                <ShieldAlert aria-hidden="true" /> allows more
              </Chip>
            )}
          </span>
          <span className="text-muted wrap-anywhere">
            {before} → <b className="font-medium text-text">{after}</b>
          </span>
        </li>
      ))}
    </ul>
    {changes.some(({ loosens }) => loosens) && (
      <Notice kind="warn" title="It allows more than before">
        You must confirm your identity if you have not done so in the last five minutes.
      </Notice>
    )}
  </>
)
