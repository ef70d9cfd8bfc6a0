import { Component, type ErrorInfo, type ReactNode } from "react";

interface ErrorBoundaryProps {
  readonly children: ReactNode;
  /** What stands in place of the children after they have thrown; `retry` draws them again. */
  fallback(error: unknown, retry: () => void): ReactNode;
  /** Called once for each error, with the components that it came through. */
  onError?(error: unknown, components: string): void;
  /** The children are drawn again when this changes: what they threw at may be gone. */
  readonly resetOn?: unknown;
}

interface ErrorBoundaryState {
  readonly thrown: { readonly error: unknown } | undefined;
  readonly resetOn: unknown;
}

/** Keeps an error of its children, while they are drawn, from the rest of the window. */
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
