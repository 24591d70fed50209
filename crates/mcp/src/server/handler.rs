//! The requests of a client, one by one.

use std::path::PathBuf;

use lancet::Lancet;
use lancet_serving::Level;
use lancet_serving::pool::JobProgress;
use lancet_serving::tokens::TokenKind;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CancelTaskParams, CompleteRequestParams,
    CompleteResult, GetTaskParams, GetTaskResult, ListResourceTemplatesResult, ListToolsResult,
    PaginatedRequestParams, ReadResourceRequestParams, ReadResourceResponse, ServerConfig,
    SubscribeRequestParams, SubscriptionFilter, Tool, UnsubscribeRequestParams, UpdateTaskParams,
};
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use tokio::time::Instant;

use super::{NO_SESSION, Server};
use crate::roots::{RootsDecision, folder_of_uri};
use crate::subscriptions::Subscriptions;
use crate::{answer, link, notify, resources, tasks};

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        answer::server_config(self.process.instructions.clone())
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        self.connection().roots.handle_change(context);
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        self.connection().roots.handle_change(context);
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let tools = self
            .process
            .listed
            .current_list(&self.process.lancet, &self.process.options);
        let mut tools = self.client_profile(&context).tools_with_limits(&tools);
        if link::token_kind(&context) == TokenKind::Read {
            tools.retain(|tool| self.process.only_reads(&tool.name));
        }
        Ok(ListToolsResult::with_all_items(tools))
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        let client = self.client_profile(&context);
        let lancet = self.process.lancet.clone();
        let (lancet, notice) = self.connection().views.view_for(lancet, &context.meta);
        self.connection().notices.add(notice);
        tasks::task_state(&self.process, lancet, request.task_id, client, &context).await
    }

    async fn update_task(
        &self,
        _request: UpdateTaskParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        // Tasks send no requests to their client, and answers without a request are ignored.
        Ok(())
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::cancel_task(&self.process, request.task_id, &context).await
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        let process = &self.process;
        let tools = process
            .listed
            .cached_list(&process.lancet, &process.options);
        tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        mut request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let tool = self.process.lancet.own_tool_name(&request.name);
        request.name = tool.clone().into();
        let began = Instant::now();
        self.process.activity.note_call();
        let response = self.call(request, &context).await;
        self.process.activity.note_call();
        let Some(response) = response else {
            return Err(ErrorData::internal_error("the call was cancelled", None));
        };
        let connection = self.connection();
        connection.notices.add(connection.roots.take_notice());
        if answer::outcome_for_log(&response) == "not_read" && self.is_without_session(&context) {
            connection.notices.add(Some(NO_SESSION.to_owned()));
        }
        let response = self.connection().notices.append_to(response);
        self.process.options.log.log(Level::Debug, || {
            let outcome = answer::outcome_for_log(&response);
            let milliseconds = began.elapsed().as_secs_f64() * 1000.0;
            format!("{tool}: {outcome} in {milliseconds:.1} ms")
        });
        Ok(response)
    }

    async fn list_resource_templates(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Ok(resources::list_templates())
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let read = move |lancet: Lancet| resources::read_resource(&lancet, &request.uri);
        Ok(self.with_files(&context, read).await??.into())
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let complete = move |lancet: Lancet| {
            resources::complete_path(&lancet, &request.r#ref, &request.argument)
        };
        // Where there are no files yet, there is nothing to complete.
        Ok(self
            .with_files(&context, complete)
            .await
            .unwrap_or_default())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        let file = self.resource_file(&context, request.uri.clone()).await?;
        let subscriptions = self.connection().subscriptions.get_or_init(|| {
            let (subscriptions, changed) = Subscriptions::begin().ok()?;
            notify::send_changes(context.peer.clone(), changed);
            Some(subscriptions)
        });
        let subscriptions = subscriptions.as_ref().ok_or_else(watch_limit_error)?;
        subscriptions
            .add(file, request.uri)
            .map_err(|_| subscription_limit_error())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if let Some(Some(subscriptions)) = self.connection().subscriptions.get() {
            subscriptions.remove(&request.uri);
        }
        Ok(())
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        let mut accepted = SubscriptionFilter::new();
        accepted
            .resource_subscriptions
            .clone_from(&requested.resource_subscriptions);
        Some(accepted)
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let (subscriptions, changed) = Subscriptions::begin().map_err(|_| watch_limit_error())?;
        let wanted = context.accepted().resource_subscriptions.clone();
        for uri in wanted.unwrap_or_default() {
            // A file that may not be read is treated as one that never changes.
            if let Ok(file) = self
                .resource_file(context.request_context(), uri.clone())
                .await
            {
                subscriptions
                    .add(file, uri)
                    .map_err(|_| subscription_limit_error())?;
            }
        }
        notify::stream_changes(&context, changed).await;
        Ok(())
    }
}

impl Server {
    /// Runs a function on the files of this client, on the pool.
    async fn with_files<T: Send + 'static>(
        &self,
        context: &RequestContext<RoleServer>,
        work: impl FnOnce(Lancet) -> T + Send + 'static,
    ) -> Result<T, ErrorData> {
        let request = CallToolRequestParams::new("resources");
        let decision = self
            .connection()
            .roots
            .decide_for_call(&request, None, context);
        let lancet = match decision.await {
            Some(RootsDecision::Go(None)) => self.process.lancet.clone(),
            Some(RootsDecision::Go(Some(narrowed))) => narrowed,
            // Until the roots are known, no file is available.
            _ => return Err(resources::not_found_error()),
        };
        let progress = JobProgress::default();
        let work = self.process.pool.run(&progress, move || work(lancet));
        let failed = |_| ErrorData::internal_error("the file could not be read", None);
        work.await.map_err(failed)
    }

    /// Returns the file of a resource, if it may be read.
    async fn resource_file(
        &self,
        context: &RequestContext<RoleServer>,
        uri: String,
    ) -> Result<PathBuf, ErrorData> {
        let find = move |lancet: Lancet| lancet.find_resource(&folder_of_uri(&uri)?);
        let found = self.with_files(context, find).await?;
        found.ok_or_else(resources::not_found_error)
    }
}

fn watch_limit_error() -> ErrorData {
    ErrorData::internal_error("the system lets no more files be watched", None)
}

fn subscription_limit_error() -> ErrorData {
    ErrorData::invalid_params(
        "there are too many subscriptions; end some of them first",
        None,
    )
}
