import { Component, type ErrorInfo, type ReactNode } from "react";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** Replaces the children after they have thrown; `retry` renders them again. */
  fallback(error: unknown, retry: () => void): ReactNode;
  /** Called once for each error, with the components that it came through. */
  onError?(error: unknown, components: string): void;
  /** The children are rendered again when this changes: the cause of the error may be gone. */
  readonly resetOn?: unknown;
}

interface ErrorBoundaryState {
  readonly thrown: { readonly error: unknown } | undefined;
  readonly resetOn: unknown;
}

/** Isolates the window from errors that its children throw while rendering. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  override state: ErrorBoundaryState = { thrown: undefined, resetOn: this.props.resetOn };

  static getDerivedStateFromError(error: unknown): Partial<ErrorBoundaryState> {
    return { thrown: { error } };
  }

  static getDerivedStateFromProps(
    { resetOn }: ErrorBoundaryProps,
    state: ErrorBoundaryState,
  ): Partial<ErrorBoundaryState> | null {
    return Object.is(resetOn, state.resetOn) ? null : { resetOn, thrown: undefined };
  }

  override componentDidCatch(error: unknown, { componentStack }: ErrorInfo): void {
    this.props.onError?.(error, componentStack ?? "");
  }

  override render(): ReactNode {
    const { thrown } = this.state;
    return thrown ? this.props.fallback(thrown.error, this.#retry) : this.props.children;
  }

  readonly #retry = (): void => this.setState({ thrown: undefined });
}
