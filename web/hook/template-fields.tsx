import { Field } from '../parts/field.tsx'
import type { TemplateDraft } from './draft.ts'
import type { HookFieldsProps } from './fields.tsx'

const PATHS = [
  ['symbol', 'Symbol', 'data.ticker'],
  ['word', 'Side', 'data.side'],
  ['quantity', 'Quantity', 'data.size'],
  ['orderType', 'Order type', ''],
  ['limitPrice', 'Limit price', ''],
  ['id', 'Id of the alert', 'alertId'],
] as const satisfies readonly (readonly [keyof TemplateDraft, string, string])[]

const WORDS = [
  ['buy', 'Words for buy'],
  ['sell', 'Words for sell'],
  ['close', 'Words for close'],
] as const satisfies readonly (readonly [keyof TemplateDraft, string])[]

export function TemplateFields({ draft, change, faultOf }: HookFieldsProps) {
  const { template } = draft
  const set = (name: keyof TemplateDraft, value: string): void =>
    change({ template: { ...template, [name]: value } })
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-medium">Fields of the JSON</legend>
      <p className="text-muted">
        A path such as <code className="font-mono">data.ticker</code>, or a fixed value in quotes such as{' '}
        <code className="font-mono">"AAPL"</code>. Symbol and side are needed; the rest may stay empty.
      </p>
      <div className="grid items-start gap-3 desk:grid-cols-2">
        {PATHS.map(([name, label, example]) => (
          <Field
            key={name}
            label={label}
            value={template[name]}
            onChange={({ target }) => set(name, target.value)}
            placeholder={example}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            fault={faultOf(`template.${name}`)}
          />
        ))}
      </div>
      <div className="grid items-start gap-3 desk:grid-cols-3">
        {WORDS.map(([name, label]) => (
          <Field
            key={name}
            label={label}
            value={template[name]}
            onChange={({ target }) => set(name, target.value)}
            autoComplete="off"
            autoCapitalize="off"
          />
        ))}
      </div>
      <p className="text-xs text-danger empty:hidden">{faultOf('template.words')}</p>
    </fieldset>
  )
}
