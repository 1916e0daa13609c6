import { useForm } from '@tanstack/react-form'
import { createContext, useContext } from 'react'
import type { Draft } from './draft.ts'
import { faultsOf, type Faults } from './rules.ts'

const orNone = (faults: Faults): Faults | undefined => (Object.keys(faults).length === 0 ? undefined : faults)

interface Options {
  defaultValues: Draft
  /** What there is to fill in, by field. */
  missing: () => Faults
  onSubmit: () => void
  onSubmitInvalid: () => void
}

/** The state of the form: figures are judged at each change, and what is missing where it is submitted. */
export const useTradeForm = ({ defaultValues, missing, onSubmit, onSubmitInvalid }: Options) =>
  useForm({
    defaultValues,
    validators: {
      onChange: ({ value }: { value: Draft }) => orNone(faultsOf(value)),
      onSubmit: () => orNone(missing()),
    },
    listeners: {
      // An exit that was begun with a stop and names none is one at market, which needs a time alone.
      onChange: ({ formApi, fieldApi }) => {
        const { executeMode, orderType, stopPrice } = formApi.state.values
        if (
          fieldApi.name === 'executeMode' &&
          executeMode === 'scheduled' &&
          orderType === 'stop' &&
          stopPrice.trim() === ''
        )
          formApi.setFieldValue('orderType', 'market')
      },
    },
    onSubmit,
    onSubmitInvalid,
  })

export type TradeForm = ReturnType<typeof useTradeForm>

export const FormState = createContext<TradeForm | null>(null)

/** The form around a field. */
export function useFormState(): TradeForm {
  const form = useContext(FormState)
  if (form === null) throw new TypeError('A field of the form stands outside of it')
  return form
}
