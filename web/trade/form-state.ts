import { useForm } from '@tanstack/react-form'
import { createContext, useContext } from 'react'
import type { Draft } from './draft.ts'

interface Options {
  defaultValues: Draft
  /** What keeps it from being submitted, by field; undefined for nothing. */
  faults: () => Readonly<Record<string, string>> | undefined
  onSubmit: () => void
  onSubmitInvalid: () => void
}

/** The state of the form, which is judged when it is submitted. */
export const useTradeForm = ({ defaultValues, faults, onSubmit, onSubmitInvalid }: Options) =>
  useForm({
    defaultValues,
    validators: { onSubmit: faults },
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
