import { useForm } from '@tanstack/react-form'
import { createContext, useContext } from 'react'
import type { Draft } from './draft.ts'

interface Options {
  defaultValues: Draft
  /** Faults that prevent submission, by field; undefined for none. */
  faults: () => Readonly<Record<string, string>> | undefined
  onSubmit: () => void
  onSubmitInvalid: () => void
}

export const useTradeForm = ({ defaultValues, faults, onSubmit, onSubmitInvalid }: Options) =>
  useForm({
    defaultValues,
    validators: { onSubmit: faults },
    listeners: {
      // An exit begun with a stop, then scheduled without a stop price, becomes a market order, which needs only a
      // time.
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

/** The form around a field; outside of a form it throws TypeError. */
export function useFormState(): TradeForm {
  const form = useContext(FormState)
  if (form === null) throw new TypeError('A field of the form is outside of it')
  return form
}
