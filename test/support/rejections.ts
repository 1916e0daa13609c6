import assert from 'node:assert/strict'
import { WorkflowUpdateFailedError } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import type { UpdateRejection } from '#workflows/signal/contract.ts'

/** Waits for a message to be refused, and returns in what words and with what details. */
export async function refused(
  answer: Promise<unknown>,
  type: UpdateRejection,
): Promise<{ message: string; details: unknown[] }> {
  const failure = await failureOf(answer)
  assert.equal(failure.type, type, failure.message)
  return { message: failure.message, details: failure.details ?? [] }
}

/** Waits for a message to be refused, and returns the type of that. */
export const rejectionOf = async (answer: Promise<unknown>): Promise<string | null | undefined> =>
  (await failureOf(answer)).type

async function failureOf(answer: Promise<unknown>): Promise<ApplicationFailure> {
  let given: unknown
  try {
    given = await answer
  } catch (error) {
    if (error instanceof WorkflowUpdateFailedError && error.cause instanceof ApplicationFailure)
      return error.cause
    throw error
  }
  return assert.fail(`not refused, but answered ${JSON.stringify(given)}`)
}
