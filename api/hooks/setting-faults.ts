import type { HookKind, HookSettings } from '#domain/hook/settings.ts'
import { fault, type Fault } from '../http/errors.ts'
import { allFaults, readFields } from '../http/validation/fields.ts'
import { EXIT_FIELDS, exitFaults } from '../signals/exit-rules.ts'
import { signalFields } from '../signals/fields.ts'
import { SIGNAL_WRITER } from '../signals/schema.ts'
import { ValidFields } from '../signals/valid-fields.ts'

export function settingFaults(kind: HookKind, { exit, template }: HookSettings): Fault[] {
  const isTemplate = kind === 'template'
  const faults = exit === null ? [] : faultsOfExit(exit)
  if (isTemplate && template === null)
    faults.push(fault(['template'], 'required', 'template is required with kind template'))
  if (!isTemplate && template !== null)
    faults.push(fault(['template'], 'not_allowed', `template is not allowed with kind ${kind}: leave it out`))
  return faults
}

const SHAPE = Object.fromEntries(EXIT_FIELDS.map((field) => [field, signalFields[field]])) as Pick<
  typeof signalFields,
  (typeof EXIT_FIELDS)[number]
>

function faultsOfExit(exit: Record<string, unknown>): Fault[] {
  const { values, faults } = readFields(SHAPE, exit, SIGNAL_WRITER)
  const valid = new ValidFields({ ...values, action: 'openLong' }, faults)
  const between = [...valid.required('exitTriggerType', 'of an exit'), ...exitFaults(valid)]
  return allFaults(faults, between).map(({ path, code, message }) =>
    fault(['exit', ...path], code, `exit.${message}`),
  )
}
